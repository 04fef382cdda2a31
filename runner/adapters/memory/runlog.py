"""The run log in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from runner.adapters.memory.state import State
from runner.domain.errors import NotFound
from runner.domain.run import Attempt, Level, LogLine, LogStage
from runner.domain.run_life import Said, attempt_lost


class MemoryRunLog:
    def __init__(self, state: State) -> None:
        self._state = state

    def append(
        self, run_id: str, lines: Sequence[tuple[datetime, Level, LogStage, str]], attempt: Attempt | None = None
    ) -> int:
        with self._state.lock:
            if run_id not in self._state.runs:
                raise NotFound("There is no such run.", "run_not_found")
            if attempt is not None and not self._is_running(attempt):
                raise attempt_lost()
            return append(self._state, run_id, [Said(*line) for line in lines])

    def read(self, run_id: str, after: int, limit: int) -> tuple[LogLine, ...]:
        start = max(after + 1, 0)
        with self._state.lock:
            return tuple(self._state.logs.get(run_id, ())[start : start + limit])

    def lengths(self, run_ids: Sequence[str]) -> Mapping[str, int]:
        with self._state.lock:
            return {run_id: len(self._state.logs[run_id]) for run_id in run_ids if run_id in self._state.logs}

    def tail(self, run_id: str, count: int) -> tuple[LogLine, ...]:
        with self._state.lock:
            log = self._state.logs.get(run_id, [])
            return tuple(log[max(len(log) - count, 0) :])

    def _is_running(self, attempt: Attempt) -> bool:
        held = (attempt.stage, attempt.number, "running", attempt.worker_id)
        attempts = self._state.runs[attempt.run_id].attempts
        return any((each.stage, each.number, each.state, each.worker_id) == held for each in attempts)


def append(state: State, run_id: str, lines: Iterable[Said]) -> int:
    """The number of the last line there is then."""
    log = state.logs.setdefault(run_id, [])
    for line in lines:
        log.append(LogLine(len(log), line.ts, line.level, line.stage, line.msg, line.done))
    return len(log) - 1
