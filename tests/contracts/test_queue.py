"""The contract of `Queue`, and RQ on a real Valkey."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from redis import Redis
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from runner.adapters import rqueue, valkey
from runner.adapters.memory.queue import MemoryQueue
from runner.adapters.rqueue import RedisQueue
from runner.domain.errors import Unavailable

LIGHT = """
import sys
from runner.adapters.rqueue import RedisQueue
RedisQueue("redis://127.0.0.1:1/0", "stages")
print(sorted({"rq", "redis"} & sys.modules.keys()))
"""


class QueueContract:
    def test_a_job_is_known_while_it_waits(self, queue):
        assert not queue.knows("run_1-judge-1")
        queue.enqueue("runner.jobs.judge", ("run_1", 1), "run_1-judge-1")
        assert queue.knows("run_1-judge-1")
        assert not queue.knows("run_1-judge-2")

    def test_a_job_that_is_queued_twice_is_no_error(self, queue):
        for _ in range(2):
            queue.enqueue("runner.jobs.judge", ("run_1", 1), "run_1-judge-1")
        assert queue.knows("run_1-judge-1")

    def test_parallel_jobs_are_all_kept(self, queue):
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda n: queue.enqueue("a.b", (n,), f"job-{n}"), range(40)))
        assert all(queue.knows(f"job-{n}") for n in range(40))

    def test_a_queue_that_is_away_is_unavailable(self, broken):
        for use in (lambda: broken.knows("x"), lambda: broken.enqueue("a.b", (), "x")):
            with pytest.raises(Unavailable) as refused:
                use()
            assert (refused.value.code, refused.value.retryable) == ("queue_unavailable", True)


class TestMemory(QueueContract):
    @pytest.fixture
    def queue(self):
        return MemoryQueue()

    @pytest.fixture
    def broken(self):
        queue = MemoryQueue()
        queue.is_down = True
        return queue

    def test_jobs_are_taken_in_order(self, queue):
        for number in range(3):
            queue.enqueue("a.b", (number,), f"job-{number}")
        assert [queue.take().args for _ in range(3)] == [(0,), (1,), (2,)]
        assert queue.take() is None
        assert not queue.knows("job-0")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with valkey.start(tmp_path_factory.mktemp("valkey")) as server:
        yield server


class TestRedis(QueueContract):
    @pytest.fixture
    def redis(self, server):
        with Redis.from_url(server.url) as redis:
            redis.flushall()
            yield redis

    @pytest.fixture
    def queue(self, redis, server):
        return RedisQueue(server.url, "stages")

    @pytest.fixture(params=["nobody listens", "wrong password", "not Redis"])
    def broken(self, request, server, tmp_path):
        wrong = server.url.replace("redis://:", "redis://:x")
        urls = {"nobody listens": "redis://127.0.0.1:1/0", "wrong password": wrong, "not Redis": f"unix://{tmp_path}"}
        return RedisQueue(urls[request.param], "stages")

    def test_a_job_is_a_name_and_json_values_and_has_no_time_limit(self, queue, redis):
        queue.enqueue("runner.jobs.report", ("run_1", ["en", "再"], None), "run_1-report")
        job = Job.fetch("run_1-report", connection=redis, serializer=JSONSerializer)
        assert (job.func_name, list(job.args)) == ("runner.jobs.report", ["run_1", ["en", "再"], None])
        assert (job.timeout, job.result_ttl, job.failure_ttl) == (-1, 0, 3600)
        assert b"pickle" not in redis.hget(job.key, "data")

    def test_jobs_come_to_a_worker_in_order_and_leave_nothing(self, queue, redis):
        for number in range(3):
            queue.enqueue("json.dumps", (number,), f"job-{number}")
        stages = Queue("stages", connection=redis, serializer=JSONSerializer)
        assert stages.job_ids == ["job-0", "job-1", "job-2"]
        worker = SimpleWorker([stages], connection=redis, serializer=JSONSerializer)
        worker.log_result_lifespan = False
        worker.work(burst=True, logging_level="WARNING")
        assert not queue.knows("job-0")
        assert not list(redis.scan_iter("rq:job:*"))

    def test_a_job_that_somebody_works_on_is_known_until_its_worker_falls_silent(self, queue, redis):
        queue.enqueue("a.b", (), "job-1")
        assert redis.lmove("rq:queue:stages", "rq:queue:stages:intermediate") == b"job-1"
        assert not queue.knows("job-1"), "a worker that dies between taking and starting leaves it so"
        job = Job.fetch("job-1", connection=redis, serializer=JSONSerializer)
        with redis.pipeline() as pipeline:
            job.prepare_for_execution("worker", pipeline)
            pipeline.execute()
        assert queue.knows("job-1")
        job.heartbeat(datetime.now(UTC) - timedelta(seconds=31), ttl=100)
        assert not queue.knows("job-1")

    @pytest.mark.parametrize("row", ["run-01", "ok_1", "01M8Q64CPTA43S03QV6KFBKTDP", "run:01", "a/b", "日本"])
    def test_job_ids_are_those_that_rq_accepts(self, queue, row, shared_data):
        lines = (shared_data / "cases/storage/rq_job_ids.tsv").read_text(encoding="utf-8").splitlines()[1:]
        accepted = dict(line.split("\t") for line in lines)[row] == "true"
        if accepted:
            queue.enqueue("a.b", (), row)
        else:
            with pytest.raises(ValueError):
                queue.enqueue("a.b", (), row)

    def test_a_wiped_queue_knows_nothing_and_works_on(self, queue, redis):
        queue.enqueue("a.b", (), "job-1")
        redis.flushall()
        assert not queue.knows("job-1")
        queue.enqueue("a.b", (), "job-1")
        assert queue.knows("job-1")

    def test_another_eviction_policy_is_refused(self, redis):
        rqueue.require_noeviction(redis)
        redis.config_set("maxmemory-policy", "allkeys-lru")
        try:
            with pytest.raises(Unavailable, match="noeviction"):
                rqueue.require_noeviction(redis)
        finally:
            redis.config_set("maxmemory-policy", "noeviction")

    def test_a_web_process_loads_neither_rq_nor_redis_before_it_enqueues(self):
        told = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
        assert json.loads(told.stdout.replace("'", '"')) == []
