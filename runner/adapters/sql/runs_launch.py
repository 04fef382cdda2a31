"""Storing new runs: all or none, once per idempotency key."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from runner.adapters.sql import audit as trail
from runner.adapters.sql import log_rows, run_rows, schema
from runner.adapters.sql.engine import Database
from runner.domain.access import AuditRow
from runner.domain.errors import Conflict
from runner.domain.run import Run
from runner.domain.run_life import launched

KEPT = timedelta(hours=24)
"""How long an idempotency key is remembered (paperbench-api.md 6)."""

Idempotency = tuple[str, str, dict[str, Any]]
"""(key, sha256 of the body, answer)."""


class Launching:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, runs: Sequence[Run], audit: Sequence[AuditRow], idempotency: Idempotency | None) -> None:
        def work(connection: Connection) -> None:
            if idempotency is not None:
                _remember(connection, idempotency, runs[0].created_at)
            _hold_what_they_use(connection, runs)
            for run in runs:
                _add(connection, run)
            trail.write(connection, audit)

        self._database.settle(work)

    def idempotent_answer(self, key: str, now: datetime) -> tuple[str, dict[str, Any]] | None:
        kept = schema.idempotency.c
        statement = select(kept.body_sha256, kept.answer).where(kept.key == key, kept.created_at > now - KEPT)
        with self._database.reading() as connection:
            row = connection.execute(statement).one_or_none()
        return (row.body_sha256, row.answer) if row else None


def _remember(connection: Connection, idempotency: Idempotency, now: datetime) -> None:
    key, body_sha256, answer = idempotency
    kept = schema.idempotency.c
    connection.execute(delete(schema.idempotency).where(kept.key == key, kept.created_at <= now - KEPT))
    if connection.scalar(select(kept.key).where(kept.key == key)) is not None:
        raise Conflict("This Idempotency-Key was used already.", "idempotency_key_taken")
    row = {"key": key, "body_sha256": body_sha256, "answer": answer, "created_at": now}
    connection.execute(insert(schema.idempotency).values(row))


def _hold_what_they_use(connection: Connection, runs: Sequence[Run]) -> None:
    """Papers cannot be deleted until the runs are there: a deletion holds the paper, too, before it looks for runs."""
    papers, rubrics, submissions = schema.papers.c, schema.rubrics.c, schema.submissions.c
    repositories = {run.repository_id for run in runs}
    held = select(papers.repository_id).where(papers.repository_id.in_(repositories)).order_by(papers.repository_id)
    asked = {run.rubric_id for run in runs} | {run.submission_id for run in runs if run.submission_id is not None}
    found = {
        *connection.scalars(held.with_for_update()),
        *connection.scalars(select(rubrics.rubric_id).where(rubrics.rubric_id.in_(asked))),
        *connection.scalars(select(submissions.submission_id).where(submissions.submission_id.in_(asked))),
    }
    if not found >= repositories | asked:
        raise Conflict("A paper, rubric or submission was deleted meanwhile.", "paper_changed")


def _add(connection: Connection, run: Run) -> None:
    step = launched(run)
    connection.execute(insert(schema.runs).values(run_rows.new_row(step.run)))
    rows = [run_rows.attempt_row(attempt, position) for position, attempt in enumerate(step.run.attempts)]
    connection.execute(insert(schema.attempts), rows)
    log_rows.append(connection, run.run_id, step.lines)
