"""`python -m tests.bench [NAME ...]`: one JSON line per benchmark; exit code 1 when a bound is not kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from tests.bench import cold_start, demo, largest_rubric, log_lines, pipeline
from tests.bench.result import Result

BENCHES: dict[str, Callable[[], Iterable[Result]]] = {
    "cold_start": cold_start.measure,
    "largest_rubric": largest_rubric.measure,
    "pipeline": pipeline.measure,
    "log_lines": log_lines.measure,
    "demo": demo.measure,
}


def main(names: list[str]) -> int:
    kept = True
    for name in names or BENCHES:
        for result in BENCHES[name]():
            kept &= result.ok
            print(result.line(), flush=True)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
