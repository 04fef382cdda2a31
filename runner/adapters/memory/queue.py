"""A queue that keeps its jobs until a test takes them."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from runner.domain.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Job:
    job: str
    args: tuple[Any, ...]
    job_id: str


class MemoryQueue:
    """`is_down` makes it refuse like a server that is away."""

    def __init__(self) -> None:
        self.is_down = False
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()

    def enqueue(self, job: str, args: Sequence[Any], job_id: str) -> None:
        self._refuse_when_down()
        with self._lock:
            self._jobs[job_id] = Job(job, tuple(args), job_id)

    def knows(self, job_id: str) -> bool:
        self._refuse_when_down()
        with self._lock:
            return job_id in self._jobs

    @property
    def jobs(self) -> tuple[Job, ...]:
        """What waits, oldest first."""
        with self._lock:
            return tuple(self._jobs.values())

    def take(self) -> Job | None:
        """The next job, which the queue then knows no more."""
        with self._lock:
            first = next(iter(self._jobs), None)
            return self._jobs.pop(first) if first is not None else None

    def wipe(self) -> None:
        with self._lock:
            self._jobs.clear()

    def _refuse_when_down(self) -> None:
        if self.is_down:
            raise Unavailable("The queue does not answer.", "queue_unavailable")
