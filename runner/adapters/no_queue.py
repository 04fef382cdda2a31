"""The queue of a process that finds no Redis: a command line verb on a data folder whose server is not up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from runner.domain.errors import Unavailable


class NoQueue:
    """Refuses at once; what was to be queued stands in SQL and is queued when a server runs."""

    def enqueue(self, job: str, args: Sequence[Any], job_id: str) -> NoReturn:
        raise _unavailable()

    def knows(self, job_id: str) -> NoReturn:
        raise _unavailable()


def _unavailable() -> Unavailable:
    return Unavailable("No queue is set up here: start reprise up, or set REPRISE_REDIS_URL.", "queue_unavailable")
