"""The worker process: RQ's forking worker, with heartbeats in SQL, and horses that never outlive it.

RQ 3.0 facts this relies on: a first SIGTERM only asks a busy worker to finish, which can take days here, so the first
one ends the horse too; what was under way is tried again. RQ kills the horse's group, and the kernel does if the worker
itself is killed.
"""

from __future__ import annotations

import datetime
import logging
import os
import signal
import socket
from collections.abc import Callable
from types import FrameType
from typing import Any

from redis import Redis
from rq import Queue, Worker
from rq.serializers import JSONSerializer

from runner import ignored_signals, parent_death

_LONG_AGO = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)


class StageWorker(Worker):
    """Works on stages. `beat(worker_id)` is called at start and at least every 15 s."""

    max_connection_wait_time = 5.0
    beat: Callable[[str], None]

    def heartbeat(self, timeout: int | None = None, pipeline: Any = None) -> None:
        super().heartbeat(timeout, pipeline)
        self.beat(self.name)

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        self._shutdown_requested_date = _LONG_AGO
        self.log.setLevel(logging.ERROR)  # what follows is wanted, and told as a warning
        self.request_force_stop(signum, frame)

    def setup_work_horse_signals(self) -> None:
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        ignored_signals.hand_down_defaults()

    def main_work_horse(self, job: Any, queue: Any) -> None:
        parent_death.follow(signal.SIGKILL)
        super().main_work_horse(job, queue)


def run(redis_url: str, queues: tuple[str, ...], beat: Callable[[str], None], log_level: str) -> None:
    """Works until a signal comes. A Redis that is away is waited for."""
    connection = Redis.from_url(redis_url)
    name = f"{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}"
    worker = StageWorker(
        [Queue(queue, connection=connection, serializer=JSONSerializer) for queue in queues],
        name=name,
        connection=connection,
        serializer=JSONSerializer,
        worker_ttl=30,
        job_monitoring_interval=10,
        log_job_description=False,
    )
    worker.beat = beat
    worker.log_result_lifespan = False
    worker.work(logging_level="WARNING" if log_level == "info" else log_level.upper())  # its info is about itself
