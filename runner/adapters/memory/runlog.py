"""The run log in memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from runner.adapters.memory.state import State
from runner.domain.errors import NotFound
from runner.domain.run import Level, LogLine, LogStage
from runner.domain.run_life import Said


class MemoryRunLog:
    def __init__(self, state: State) -> None:
        self._state = state

    def append(self, run_id: str, lines: Sequence[tuple[datetime, Level, LogStage, str]]) -> int:
        with self._state.lock:
            if run_id not in self._state.runs:
                raise NotFound("There is no such run.", "run_not_found")
            return append(self._state, run_id, [Said(*line) for line in lines])

    def read(self, run_id: str, after: int, limit: int) -> tuple[LogLine, ...]:
        start = max(after + 1, 0)
        with self._state.lock:
            return tuple(self._state.logs.get(run_id, ())[start : start + limit])

    def tail(self, run_id: str, count: int) -> tuple[LogLine, ...]:
        with self._state.lock:
            log = self._state.logs.get(run_id, [])
            return tuple(log[max(len(log) - count, 0) :])


def append(state: State, run_id: str, lines: Iterable[Said]) -> int:
    """The number of the last line there is then."""
    log = state.logs.setdefault(run_id, [])
    for line in lines:
        log.append(LogLine(len(log), line.ts, line.level, line.stage, line.msg, line.done))
    return len(log) - 1
