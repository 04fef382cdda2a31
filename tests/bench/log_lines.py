"""100,000 lines printed by a script: all stored, in order, with little memory, and replayed fast."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time
from collections.abc import Iterator

import psutil

from tests.bench.result import Result
from tests.bench.site import served
from tests.e2e.conftest import Server

LINES = 100_000
MEMORY_MB = 300.0
LINES_PER_S = 20_000.0


def measure() -> Iterator[Result]:
    with served() as server:
        paper_id = server.ready_paper(f"seq -f 'line %.0f' 1 {LINES}; echo 1 > out.csv")
        with peak_memory(server) as peak_bytes:
            job = server.launch(paper_id)
            status = server.wait(job, limit_s=120)
        assert status["status"] == "completed", status
        took, body = replay(server.port, job)
    lines = [json.loads(line[6:])["msg"] for line in body.splitlines() if line.startswith(b"data: ")]
    printed = [text for text in lines if isinstance(text, str) and text.startswith("line ")]
    in_order = printed == [f"line {number}" for number in range(1, LINES + 1)]
    stored = len(printed) if in_order else 0
    yield Result("log_lines_stored", stored, "lines", LINES, at_least=True, note="complete and in order")
    yield Result("log_worker_memory", max(peak_bytes) / 1e6, "MB", MEMORY_MB, note="largest RSS of one worker process")
    yield Result("log_replay", LINES / took, "lines/s", LINES_PER_S, at_least=True, note="SSE, from the first line")


def replay(port: int, job: str) -> tuple[float, bytes]:
    """Seconds and bytes of the whole event stream of a finished run."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    started = time.perf_counter()
    connection.request("GET", f"/api/paperbench/run/{job}/logs")
    body = connection.getresponse().read()
    took = time.perf_counter() - started
    connection.close()
    return took, body.replace(b'data: {"status"', b'end: {"status"')


@contextlib.contextmanager
def peak_memory(server: Server) -> Iterator[list[int]]:
    """Looks 20 times a second at the workers and their work horses; not at what runs inside the sandbox."""
    peak, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            for worker in server.children_running("worker"):
                peak.append(largest(worker))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        done.set()
        thread.join()


def largest(worker: psutil.Process) -> int:
    found = [0]
    with contextlib.suppress(psutil.NoSuchProcess):
        for process in [worker, *worker.children()]:
            found.append(process.memory_info().rss)
    return max(found)
