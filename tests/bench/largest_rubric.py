"""Reading, checking and scoring the largest rubric we know (2,551 nodes), beside parsing its JSON alone."""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import time
from collections.abc import Callable, Iterator

from runner.domain import given_rubric, rubric, scoring
from tests.bench.result import Result

BOUND_MS = 100.0
TIMES = 9
ROOT = pathlib.Path(__file__).resolve().parents[2]


def measure() -> Iterator[Result]:
    data = pathlib.Path(os.environ.get("REPRISE_TEST_DATA") or ROOT.parent / "shared")
    path = data / "paperbench-data" / "papers" / "pinn" / "rubric.json"
    if not path.is_file():
        yield Result("largest_rubric", None, "ms", BOUND_MS, note="the test data is absent: set REPRISE_TEST_DATA")
        return
    body = path.read_bytes()
    parsing = median_ms(lambda: json.loads(body))
    note = f"load, validate, hash and score 2,551 nodes; parsing the JSON alone takes {parsing:.1f} ms"
    yield Result("largest_rubric", median_ms(lambda: read_and_score(body)), "ms", BOUND_MS, note=note)


def read_and_score(body: bytes) -> None:
    root = given_rubric.read(body).root
    grades = {leaf.pointer: number % 2 for number, leaf in enumerate(rubric.leaves(root))}
    assert scoring.score(root, grades).root.valid


def median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(TIMES):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return 1000 * statistics.median(times)
