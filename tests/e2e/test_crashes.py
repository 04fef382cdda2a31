"""Processes are killed at random moments while runs of several shapes go on: every run ends, and its story is whole.

`REPRISE_SOAK_ROUNDS` and `REPRISE_SOAK_SEED` make it longer and repeat a failure (`make soak`).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import re
import time
from typing import Any

import httpx
import psutil
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(0)]

ROUNDS = int(os.environ.get("REPRISE_SOAK_ROUNDS", "2"))
SEED = int(os.environ.get("REPRISE_SOAK_SEED", "0")) or random.SystemRandom().randrange(1, 2**31)
COUNT = "for i in $(seq 1 {n}); do echo a$REPRISE_ATTEMPT $i; sleep 0.{pause}; done\n"
SHAPES = {
    "quick": "echo > out.csv\n",
    "steady": COUNT.format(n=25, pause=2) + "echo > out.csv\n",
    "chatty": "seq 1 30000\necho > out.csv\n",
    "many files": "for i in $(seq 1 300); do echo $i > f$i; done\necho > out.csv\n",
    "daemon": "setsid sleep 300 &\nsleep 2\necho > out.csv\n",
    "failing": "sleep 1\nexit 3\n",
}
VICTIMS = ("worker", "conductor", "web", "valkey", "everything")


def test_every_run_ends_whatever_is_killed(own_server: Any) -> None:
    dice = random.Random(SEED)
    print(f"REPRISE_SOAK_SEED={SEED}")
    for number in range(ROUNDS):
        jobs = [own_server.launch(own_server.ready_paper(SHAPES[shape])) for shape in dice.sample(sorted(SHAPES), 4)]
        time.sleep(dice.uniform(0, 3))
        victim = dice.choice(VICTIMS)
        print(f"round {number}: {victim} is killed")
        kill(own_server, victim, dice)
        for job in jobs:
            wait_until_over(own_server, job)
            told(own_server, job)
    until = time.monotonic() + 60
    while left := list((own_server.folder / "scratch").glob("run_*")):
        assert time.monotonic() < until, left
        time.sleep(0.5)


def kill(server: Any, victim: str, dice: random.Random) -> None:
    if victim == "everything":
        doomed = [*server.family(), psutil.Process(server.process.pid)]
        dice.shuffle(doomed)
    elif victim in ("worker", "conductor"):
        doomed = dice.sample(server.children_running(victim), 1)
    else:
        name = {"web": "gunicorn", "valkey": "valkey"}[victim]
        doomed = [p for p in server.family() if any(name in word for word in words(p))][:1]
    for process in doomed:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    if victim == "everything":
        server.process.wait(10)
        psutil.wait_procs(doomed, timeout=10)
        server.process.stdout.close()
        server.start()


def words(process: psutil.Process) -> list[str]:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.cmdline()
    return []


def wait_until_over(server: Any, job: str) -> None:
    """Also while the server does not answer, because it is being started again."""
    until = time.monotonic() + 120
    while True:
        with contextlib.suppress(httpx.HTTPError):
            if server.status(job)["status"] in ("completed", "failed", "cancelled"):
                return
        assert time.monotonic() < until, server.errors()[-3000:]
        time.sleep(0.3)


def told(server: Any, job: str) -> None:
    """The log has every number once, one end, and the lines of each attempt together and in order."""
    events = server.events(job)
    assert [int(event["id"]) for event in events] == list(range(len(events)))
    assert [event["event"] for event in events].count("done") == 1
    counted = [
        tuple(map(int, found.groups())) for m in server.messages(job) if (found := re.fullmatch(r"a(\d) (\d+)", m))
    ]
    for _, lines in itertools.groupby(counted, key=lambda line: line[0]):
        numbers = [number for _, number in lines]
        assert numbers == list(range(1, len(numbers) + 1))
    assert [attempt for attempt, _ in itertools.groupby(counted, key=lambda line: line[0])] == sorted(
        {attempt for attempt, _ in counted}
    )
    status = server.status(job)
    assert status["status"] == "completed", (status, server.errors()[-3000:])
