"""Runs in memory: looking at them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from runner.adapters import paging
from runner.adapters.memory.state import State
from runner.domain.errors import NotFound
from runner.domain.instants import to_micros
from runner.domain.run import Assessment, Attempt, Evidence, Run, RunStatus, StageName, StageState
from runner.domain.run_view import current_stage
from runner.ports import Page


class MemoryRunsRead:
    def __init__(self, state: State) -> None:
        self._state = state

    def get(self, run_id: str) -> Run:
        with self._state.lock:
            if run_id not in self._state.runs:
                raise NotFound("There is no such run.", "run_not_found")
            return self._state.runs[run_id]

    def page(
        self,
        *,
        paper_id: str | None,
        statuses: Sequence[RunStatus],
        stage: StageName | None,
        after: tuple[Any, ...] | None,
        limit: int,
        with_private: bool = True,
    ) -> Page[Run]:
        def is_wanted(run: Run) -> bool:
            return (
                paper_id in (None, run.paper_id)
                and (not statuses or run.status in statuses)
                and (stage is None or current_stage(run) == stage)
                and (after is None or _place(run) < tuple(after))
                and (with_private or self._is_public(run))
            )

        with self._state.lock:
            found = sorted(filter(is_wanted, self._state.runs.values()), key=_place, reverse=True)
        return paging.cut(found, limit, _place)

    def pending(self, limit: int) -> tuple[Attempt, ...]:
        waiting = self._attempts("pending")
        return tuple(sorted(waiting, key=lambda attempt: (attempt.created_at, attempt.run_id)))[:limit]

    def lost(self, beat_before: datetime) -> tuple[Attempt, ...]:
        beats = [(a.heartbeat_at, a) for a in self._attempts("running") if a.heartbeat_at is not None]
        return tuple(a for beat, a in sorted(beats, key=lambda pair: pair[0]) if beat < beat_before)

    def results(self, run_id: str) -> dict[str, Any] | None:
        with self._state.lock:
            return self._state.results.get(run_id)

    def evidence(self, run_id: str, after: tuple[Any, ...] | None, limit: int) -> Page[Evidence]:
        start = 0 if after is None else after[0] + 1
        with self._state.lock:
            rest = list(enumerate(self._state.evidence.get(run_id, ())))[start:]
        page = paging.cut(rest, limit, lambda pair: (pair[0],))
        return Page(tuple(each for _, each in page.items), page.next_after)

    def assessments(self, run_id: str) -> tuple[Assessment, ...]:
        with self._state.lock:
            return tuple(self._state.assessments.get(run_id, ()))

    def _attempts(self, state: StageState) -> list[Attempt]:
        with self._state.lock:
            return [a for run in self._state.runs.values() for a in run.attempts if a.state == state]

    def _is_public(self, run: Run) -> bool:
        """By the paper as it is now; a deleted paper's runs keep what it was at launch."""
        for paper in self._state.papers.values():
            if paper.repository_id == run.repository_id:
                return paper.visibility == "public"
        return bool(run.paper.get("visibility", "private") == "public")


def _place(run: Run) -> tuple[int, str]:
    return to_micros(run.created_at), run.run_id
