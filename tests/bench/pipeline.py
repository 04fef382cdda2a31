"""What a run takes beyond its script: from the launch request to `completed`, the script's own time taken off."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from tests.bench.result import Result
from tests.bench.site import served
from tests.e2e.conftest import Server

BOUND_S = 2.0
TIMES = 5


def measure() -> Iterator[Result]:
    with served() as server:
        paper_id = server.ready_paper("sleep 1; echo 1 > out.csv")
        overheads = [overhead_s(server, paper_id) for _ in range(TIMES)]
    note = f"median of {TIMES} (most {max(overheads):.2f}); bubblewrap, script of 1 s"
    yield Result("pipeline_overhead", statistics.median(overheads), "s", BOUND_S, note=note)


def overhead_s(server: Server, paper_id: str) -> float:
    started = time.perf_counter()
    job = server.launch(paper_id)
    status = server.wait(job)
    total = time.perf_counter() - started
    assert status["status"] == "completed", status
    return total - float(server.results(job)["reproduce"]["elapsed_sec"])
