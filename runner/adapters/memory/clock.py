"""A clock that stands still until it is moved."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

START = datetime(2026, 5, 13, 5, 57, tzinfo=UTC)


class MemoryClock:
    """`sleep` moves it instead of waiting."""

    def __init__(self, start: datetime = START) -> None:
        self._now = start
        self._monotonic = 0.0
        self._lock = threading.Lock()

    def now(self) -> datetime:
        with self._lock:
            return self._now

    def monotonic(self) -> float:
        with self._lock:
            return self._monotonic

    def sleep(self, seconds: float) -> None:
        self.advance(seconds)

    def advance(self, seconds: float) -> None:
        with self._lock:
            self._now += timedelta(seconds=seconds)
            self._monotonic += seconds

    def set(self, now: datetime) -> None:
        """Sets the wall clock alone, as an administrator would: monotonic time goes on as it was."""
        with self._lock:
            self._now = now
