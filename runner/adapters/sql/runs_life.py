"""What happens to a run after its launch: claimed, kept alive, ended, cancelled, tried again."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update

from runner.adapters.sql import audit as trail
from runner.adapters.sql import run_steps, schema
from runner.adapters.sql.engine import Database
from runner.domain import run_life
from runner.domain.access import AuditRow
from runner.domain.errors import NotFound
from runner.domain.run import Ending, Evidence, RunStatus, StageName
from runner.ports import Claimed

_RUNS = schema.runs.c
_ATTEMPTS = schema.attempts.c


class Living:
    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, run_id: str, stage: StageName, number: int, worker_id: str, now: datetime) -> Claimed | None:
        with self._database.writing() as connection:
            try:
                run = run_steps.hold(connection, run_id)
            except NotFound:
                return None
            step = run_life.claimed(run, stage, number, worker_id, now)
            if step is None:
                return None
            run_steps.store(connection, run, step)
        return Claimed(step.run, next(a for a in step.run.attempts if (a.stage, a.number) == (stage, number)))

    def beat(self, run_id: str, stage: StageName, number: int, worker_id: str, now: datetime) -> bool:
        ours = (_ATTEMPTS.run_id == run_id, _ATTEMPTS.stage == stage, _ATTEMPTS.number == number)
        running = (_ATTEMPTS.state == "running", _ATTEMPTS.worker_id == worker_id)
        with self._database.writing() as connection:
            statement = update(schema.attempts).where(*ours, *running).values(heartbeat_at=now)
            return connection.execute(statement).rowcount == 1

    def cancel_requested(self, run_id: str) -> bool:
        with self._database.reading() as connection:
            asked = connection.scalar(select(_RUNS.cancel_requested).where(_RUNS.run_id == run_id))
        if asked is None:
            raise NotFound("There is no such run.", "run_not_found")
        return bool(asked)

    def script_started(self, run_id: str, now: datetime) -> None:
        with self._database.writing() as connection:
            running = (_RUNS.run_id == run_id, _RUNS.status == "running")
            connection.execute(update(schema.runs).where(*running).values(execution_state="running"))

    def finish(self, run_id: str, stage: StageName, number: int, worker_id: str, ending: Ending, now: datetime) -> bool:
        with self._database.writing() as connection:
            run = run_steps.hold(connection, run_id)
            step = run_life.ended(run, stage, number, worker_id, ending, now)
            if step is not None:
                run_steps.store(connection, run, step)
            return step is not None

    def request_cancel(self, run_id: str, audit: AuditRow, now: datetime) -> RunStatus:
        with self._database.writing() as connection:
            run = run_steps.hold(connection, run_id)
            step = run_life.cancel_asked(run, now)
            if step.run != run:
                run_steps.store(connection, run, step)
                trail.write(connection, [audit])
            return step.run.status

    def retry(self, run_id: str, stage: StageName, audit: AuditRow, now: datetime) -> None:
        with self._database.writing() as connection:
            run = run_steps.hold(connection, run_id)
            step = run_life.retried(run, stage, now)
            connection.execute(delete(schema.results).where(schema.results.c.run_id == run_id))
            run_steps.store(connection, run, step)
            trail.write(connection, [audit])

    def add_evidence(self, evidence: Evidence) -> None:
        with self._database.writing() as connection:
            run_steps.hold(connection, evidence.run_id)
            run_steps.add_evidence(connection, evidence.run_id, [evidence])
