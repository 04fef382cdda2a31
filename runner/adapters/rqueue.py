"""Work handed to workers through RQ on Redis or Valkey: dotted names and JSON values, nothing else (rq 3.0).

`rq` and `redis` are imported where they are used: together they take 0.2 s, which every web process would pay at its
start, though most never enqueue.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from runner.domain.errors import Unavailable

if TYPE_CHECKING:
    from redis import Redis

FAILURES_KEPT_S = 3600
"""For a look at what went wrong; what became of a run stands in SQL."""

_SILENT_AFTER = timedelta(seconds=30)
"""Workers tell Redis every 10 s that a job goes on. One that has been silent for longer is forgotten, and may be queued
again: a job that runs twice does no harm, one that nobody runs does."""


class RedisQueue:
    """One RQ queue. Thread-safe; after a fork the child opens connections of its own."""

    def __init__(self, url: str, name: str) -> None:
        self._url = url
        self._name = name

    def enqueue(self, job: str, args: Sequence[Any], job_id: str) -> None:
        """An equal `job_id` that waits already is queued a second time. No time limit: stages supervise themselves."""
        from rq import Queue
        from rq.serializers import JSONSerializer

        with _queue_errors():
            Queue(self._name, connection=self._redis, serializer=JSONSerializer).enqueue_call(
                job, args=tuple(args), job_id=job_id, timeout=-1, result_ttl=0, failure_ttl=FAILURES_KEPT_S
            )

    def knows(self, job_id: str) -> bool:
        from rq import Queue

        with _queue_errors():
            waits = self._redis.lpos(f"{Queue.redis_queue_namespace_prefix}{self._name}", job_id) is not None
            return waits or self._is_worked_on(job_id)

    def _is_worked_on(self, job_id: str) -> bool:
        from rq.exceptions import NoSuchJobError
        from rq.job import Job, JobStatus
        from rq.serializers import JSONSerializer

        try:
            job = Job.fetch(job_id, connection=self._redis, serializer=JSONSerializer)
        except NoSuchJobError:
            return False
        is_started = job.get_status(refresh=False) == JobStatus.STARTED
        beat = job.last_heartbeat
        return bool(is_started and beat and datetime.now(UTC) - beat < _SILENT_AFTER)

    @functools.cached_property
    def _redis(self) -> Redis:
        return connect(self._url)


def connect(url: str) -> Redis:
    """A client that gives up in seconds and tries once more on a connection that has gone stale."""
    from redis import Redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return Redis.from_url(url, socket_connect_timeout=2, socket_timeout=5, retry=Retry(NoBackoff(), 1))


def require_answer(url: str) -> None:
    """For the start of a process: the server is there, and drops no jobs. Raises Unavailable `queue_unavailable`."""
    with contextlib.closing(connect(url)) as client:
        require_noeviction(client)


def require_noeviction(client: Redis) -> None:
    """Any other policy drops jobs in silence. Raises Unavailable `queue_unavailable`, saying what Redis said."""
    from redis.exceptions import RedisError

    try:
        policy = client.config_get("maxmemory-policy")["maxmemory-policy"]
    except RedisError as error:
        raise Unavailable(f"Redis does not answer as it should: {error}", "queue_unavailable") from error
    if policy != "noeviction":
        message = f"Redis may drop jobs: its maxmemory-policy is {policy} and must be noeviction."
        raise Unavailable(message, "queue_unavailable")


@contextlib.contextmanager
def _queue_errors() -> Iterator[None]:
    from redis.exceptions import RedisError

    try:
        yield
    except RedisError as error:
        raise Unavailable("The queue does not answer.", "queue_unavailable") from error
