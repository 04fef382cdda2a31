"""Workers die, queues are wiped, the service is stopped: runs end all the same, and nothing is done twice."""

from __future__ import annotations

import time
from typing import Any

import pytest
import redis

from runner.settings import load
from runner.wiring import queue_url

pytestmark = pytest.mark.slow


def test_a_killed_worker_is_noticed_and_its_stage_tried_again(own_server: Any) -> None:
    script = "#!/bin/bash\necho attempt $REPRISE_ATTEMPT\n[ $REPRISE_ATTEMPT = 1 ] && sleep 60\necho > out.csv\n"
    job = own_server.launch(own_server.ready_paper(script))
    own_server.wait_for_line(job, "] attempt 1\n")
    for worker in own_server.children_running("worker"):
        worker.kill()
    killed_at = time.monotonic()
    own_server.wait_for_line(job, "worker of this stage stopped", limit_s=30)
    assert time.monotonic() - killed_at < 30
    status = own_server.wait(job)
    assert (status["status"], status["degraded"], status["diagnostic"]) == ("completed", False, None), status
    attempts = own_server.results(job)["reproduce"]["attempts"]
    assert [(a["n"], a["code"]) for a in attempts] == [(1, "worker_lost"), (2, None)]
    messages = own_server.messages(job)
    assert messages.count("attempt 1") == messages.count("attempt 2") == 1


def test_a_wiped_queue_loses_no_run(own_server: Any) -> None:
    jobs = [own_server.launch(own_server.ready_paper("#!/bin/bash\nsleep 2\necho > out.csv\n")) for _ in range(6)]
    own_server.wait(jobs[0], lambda status: status["status"] == "running")
    client = redis.Redis.from_url(queue_url(load(data_dir=own_server.folder)))
    client.flushall()
    client.close()
    for job in jobs:
        assert own_server.wait(job, limit_s=60)["status"] == "completed"
        assert own_server.messages(job).count("judging 1 criterion of rubric version 1 by their checks") == 1


def test_a_stop_ends_every_process_and_a_start_goes_on(own_server: Any) -> None:
    job = own_server.launch(
        own_server.ready_paper("#!/bin/bash\n[ $REPRISE_ATTEMPT = 1 ] && sleep 60\necho > out.csv\n")
    )
    own_server.wait(job, lambda status: status["execution_state"] == "running")
    assert own_server.stop() < 10
    own_server.start()
    assert own_server.wait(job, limit_s=60)["status"] == "completed"
