"""`reprise demo` in an empty folder, as a person sees it after installation."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from tests.bench.result import Result

BOUND_S = 60.0


def measure() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "runner.cli", "demo"], cwd=folder, capture_output=True, text=True, check=False
        )
        took = time.perf_counter() - started
    assert done.returncode == 0, done.stderr
    yield Result("demo", took, "s", BOUND_S, note="process start to the printed report")
