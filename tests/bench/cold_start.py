"""Process start to first answer of single functions, beside a bare Flask app started the same way in the same run."""

from __future__ import annotations

import contextlib
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping

from tests.bench.result import Result

BOUND = 2.5
TIMES = 7
UNKNOWN = "/api/paperbench/run/run_01M8Q64CPTA43S03QV6KFBKTDP"
FUNCTIONS = {
    "runs.status": UNKNOWN,
    "runs.list": "/api/paperbench/runs",
    "runs.launch": "/nothing",
    "papers.rubric": "/api/paperbench/papers/nothing/rubric",
    "papers.register": "/nothing",
    "pages.dashboard": "/",
}
BARE = """
from flask import Flask
def create_app():
    app = Flask("bare")
    app.get("/")(lambda: {"status": "ok"})
    return app
"""


def measure() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bare.py").write_text(BARE)
        environment = {**os.environ, "REPRISE_DATA_DIR": str(folder / "data"), "PYTHONPATH": str(folder)}
        migrate = [sys.executable, "-m", "runner.cli", "migrate"]
        subprocess.run(migrate, env=environment, check=True, stdout=subprocess.DEVNULL)
        apps = {"bare": ("bare:create_app()", "/")}
        apps |= {name: (f'functions.app:create_app(only=["{name}"])', path) for name, path in FUNCTIONS.items()}
        times: dict[str, list[float]] = {name: [] for name in apps}
        for _ in range(TIMES):
            for name, (app, path) in apps.items():
                times[name].append(first_answer_s(app, path, environment))
    bare = statistics.median(times["bare"])
    for name in FUNCTIONS:
        note = f"median of {TIMES}; a bare Flask app under the same gunicorn is the peer"
        yield Result(f"cold_start {name}", statistics.median(times[name]), "s", BOUND, peer=bare, note=note)


def first_answer_s(app: str, path: str, environment: Mapping[str, str]) -> float:
    """Seconds from starting gunicorn until the first whole HTTP answer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "--no-control-socket", "-b", f"127.0.0.1:{port}", app]
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        answer(port, path, started + 60)
        return time.perf_counter() - started
    finally:
        process.terminate()
        process.wait(30)


def answer(port: int, path: str, until: float) -> None:
    """Asks as soon as somebody listens. Raises TimeoutError, AssertionError for a server error."""
    while time.perf_counter() < until:
        with (
            contextlib.suppress(ConnectionRefusedError),
            socket.create_connection(("127.0.0.1", port), timeout=60) as it,
        ):
            it.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
            status = it.makefile("rb").read().split(b" ", 2)[1]
            assert status < b"500", status
            return
        time.sleep(0.002)
    raise TimeoutError(path)
