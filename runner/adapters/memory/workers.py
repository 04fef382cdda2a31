"""Who is alive, and who leads, in memory."""

from __future__ import annotations

from datetime import datetime

from runner.adapters.memory.state import State


class MemoryWorkers:
    def __init__(self, state: State) -> None:
        self._state = state

    def beat(self, worker_id: str, now: datetime) -> None:
        with self._state.lock:
            self._state.beats[worker_id] = now

    def alive(self, since: datetime) -> int:
        with self._state.lock:
            return sum(1 for beat in self._state.beats.values() if beat >= since)

    def take_lease(self, name: str, holder: str, now: datetime, until: datetime) -> bool:
        with self._state.lock:
            present, end = self._state.leases.get(name, (holder, now))
            if present != holder and end > now:
                return False
            self._state.leases[name] = (holder, until)
            return True
