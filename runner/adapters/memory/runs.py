"""Runs in memory: launching and living."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from runner.adapters.memory import runlog
from runner.adapters.memory.runs_read import MemoryRunsRead
from runner.domain import run_life
from runner.domain.access import AuditRow
from runner.domain.errors import Conflict
from runner.domain.run import Attempt, Ending, Evidence, Run, RunStatus, StageName
from runner.domain.run_life import Step
from runner.ports import Claimed

KEPT = timedelta(hours=24)


class MemoryRuns(MemoryRunsRead):
    def add(
        self, runs: Sequence[Run], audit: Sequence[AuditRow], idempotency: tuple[str, str, dict[str, Any]] | None
    ) -> None:
        state = self._state
        with state.lock:
            if idempotency is not None and self.idempotent_answer(idempotency[0], runs[0].created_at):
                raise Conflict("This Idempotency-Key was used already.", "idempotency_key_taken")
            repositories = {paper.repository_id for paper in state.papers.values()}
            there = repositories | {*state.rubrics, *state.submissions, None}
            if not all({run.repository_id, run.rubric_id, run.submission_id} <= there for run in runs):
                raise Conflict("A paper, rubric or submission was deleted meanwhile.", "paper_changed")
            if idempotency is not None:
                state.idempotency[idempotency[0]] = (*idempotency[1:], runs[0].created_at)
            for run in runs:
                self._store(run_life.launched(run))
            state.audit.extend(audit)

    def idempotent_answer(self, key: str, now: datetime) -> tuple[str, dict[str, Any]] | None:
        with self._state.lock:
            kept = self._state.idempotency.get(key)
        return kept[:2] if kept and kept[2] > now - KEPT else None

    def claim(self, run_id: str, stage: StageName, number: int, worker_id: str, now: datetime) -> Claimed | None:
        with self._state.lock:
            run = self._state.runs.get(run_id)
            step = run_life.claimed(run, stage, number, worker_id, now) if run else None
            if step is None:
                return None
            self._store(step)
            return Claimed(step.run, _attempt(step.run, stage, number))

    def beat(self, run_id: str, stage: StageName, number: int, worker_id: str, now: datetime) -> bool:
        with self._state.lock:
            run = self._state.runs.get(run_id)
            held = [a for a in run.attempts if _is_held(a, stage, number, worker_id)] if run else []
            for attempt in held:
                self._put(replace(attempt, heartbeat_at=now))
            return bool(held)

    def cancel_requested(self, run_id: str) -> bool:
        return self.get(run_id).cancel_requested

    def script_started(self, run_id: str, now: datetime) -> None:
        with self._state.lock:
            run = self._state.runs.get(run_id)
            if run is not None and run.status == "running":
                self._state.runs[run_id] = replace(run, execution_state="running")

    def finish(self, run_id: str, stage: StageName, number: int, worker_id: str, ending: Ending, now: datetime) -> bool:
        with self._state.lock:
            step = run_life.ended(self.get(run_id), stage, number, worker_id, ending, now)
            if step is not None:
                self._store(step)
            return step is not None

    def request_cancel(self, run_id: str, audit: AuditRow, now: datetime) -> RunStatus:
        with self._state.lock:
            run = self.get(run_id)
            step = run_life.cancel_asked(run, now)
            if step.run != run:
                self._store(step)
                self._state.audit.append(audit)
            return step.run.status

    def retry(self, run_id: str, stage: StageName, audit: AuditRow, now: datetime) -> None:
        with self._state.lock:
            step = run_life.retried(self.get(run_id), stage, now)
            self._state.results.pop(run_id, None)
            self._store(step)
            self._state.audit.append(audit)

    def add_evidence(self, evidence: Evidence) -> None:
        with self._state.lock:
            self.get(evidence.run_id)
            self._state.evidence.setdefault(evidence.run_id, []).append(evidence)

    def _put(self, attempt: Attempt) -> None:
        run = self._state.runs[attempt.run_id]
        name = (attempt.stage, attempt.number)
        attempts = tuple(attempt if (a.stage, a.number) == name else a for a in run.attempts)
        self._state.runs[run.run_id] = replace(run, attempts=attempts)

    def _store(self, step: Step) -> None:
        state, run_id = self._state, step.run.run_id
        state.runs[run_id] = step.run
        state.evidence.setdefault(run_id, []).extend(step.evidence)
        state.assessments.setdefault(run_id, []).extend(step.assessments)
        if step.results is not None:
            state.results[run_id] = step.results
        runlog.append(state, run_id, step.lines)


def _attempt(run: Run, stage: StageName, number: int) -> Attempt:
    return next(attempt for attempt in run.attempts if (attempt.stage, attempt.number) == (stage, number))


def _is_held(attempt: Attempt, stage: StageName, number: int, worker_id: str) -> bool:
    held = (attempt.stage, attempt.number, attempt.worker_id, attempt.state)
    return held == (stage, number, worker_id, "running")
