"""API keys in memory."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from runner.adapters.memory.state import State
from runner.domain.access import Key


class MemoryKeys:
    def __init__(self, state: State) -> None:
        self._state = state

    def add(self, key: Key) -> None:
        with self._state.lock:
            self._state.keys[key.key_id] = key

    def find(self, secret_sha256: str) -> Key | None:
        return next((key for key in self.all() if key.secret_sha256 == secret_sha256), None)

    def all(self) -> tuple[Key, ...]:
        with self._state.lock:
            return tuple(sorted(self._state.keys.values(), key=lambda key: (key.created_at, key.key_id)))

    def revoke(self, key_id: str, now: datetime) -> bool:
        with self._state.lock:
            key = self._state.keys.get(key_id)
            if key is None or key.revoked_at is not None:
                return False
            self._state.keys[key_id] = replace(key, revoked_at=now)
            return True
