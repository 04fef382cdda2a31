"""Runs the study and writes `measurements.json` and the files of `out/`: `python3 -m study`."""

from __future__ import annotations

import csv
import json
import pathlib
import platform
import time
from typing import Iterable, Sequence

from . import experiment, figure, policies
from .experiment import Cell, Point

OUT = pathlib.Path("out")


def main() -> None:
    started = time.perf_counter()
    print(f"An Arrow of Time for Caches, Python {platform.python_version()}, seeds {', '.join(map(str, experiment.SEEDS))}")
    print(f"{experiment.OBJECTS:,} objects, Zipf {experiment.ALPHA}, cache of {experiment.CAPACITY}, {experiment.REQUESTS:,} requests")
    print("step 1 of 3: five policies on four workloads, hit ratio in percent")
    cells = list(experiment.grid())
    print("step 2 of 3: how fast may popularity drift?")
    points = list(experiment.sweep())
    print(f"  SIEVE falls behind LRU at {experiment.crossover(points):.2f} ranks per 1,000 requests")
    print("step 3 of 3: the simulator against theory")
    for policy in ("LRU", "FIFO"):
        print(f"  {policy:<5} simulated {experiment.steady(policy):.2f}, predicted {experiment.predicted(policy):.2f}")
    write(cells, points)
    print(f"done in {time.perf_counter() - started:.1f} s")


def write(cells: list[Cell], points: list[Point]) -> None:
    """All files. Nothing in them depends on the clock: the same Python writes the same bytes each time."""
    OUT.mkdir(exist_ok=True)
    _csv("hit_ratios.csv", Cell._fields[:4], ((c.workload, c.policy, c.seed, f"{c.hit_ratio:.3f}") for c in cells))
    _csv("summary.csv", ("workload", "policy", "hit_ratio", "writes_per_1000", "idle_share"), _summary(cells))
    _csv("sweep.csv", Point._fields, ((f"{p.speed:g}", p.direction, p.policy, f"{p.hit_ratio:.3f}") for p in points))
    _text(OUT / "figure1.svg", figure.draw(points, experiment.crossover(points)))
    values = measure(cells, points)
    rows = [{"measurementId": name, "value": round(value, 3), "unit": unit} for name, (value, unit) in values.items()]
    _text(pathlib.Path("measurements.json"), json.dumps({"measurements": rows}, indent=1) + "\n")


def measure(cells: list[Cell], points: list[Point]) -> dict[str, tuple[float, str]]:
    """Every value that the paper reports, by the name that the rubric gives it."""
    mean = experiment.mean
    percent, writes = "percent", "writes per 1,000 requests"
    return {
        "theory-lru": (experiment.predicted("LRU"), percent),
        "steady-lru": (experiment.steady("LRU"), percent),
        "static-lru": (mean(cells, "static", "LRU"), percent),
        "static-sieve": (mean(cells, "static", "SIEVE"), percent),
        "fading-sieve": (mean(cells, "fading", "SIEVE"), percent),
        "rising-sieve": (mean(cells, "rising", "SIEVE"), percent),
        "lru-difference": (mean(cells, "fading", "LRU") - mean(cells, "rising", "LRU"), "percentage points"),
        "rising-idle-sieve": (mean(cells, "rising", "SIEVE", "idle_share"), percent),
        "crossover": (experiment.crossover(points), "ranks per 1,000 requests"),
        "static-writes-lru": (mean(cells, "static", "LRU", "writes_per_1000"), writes),
        "static-writes-sieve": (mean(cells, "static", "SIEVE", "writes_per_1000"), writes),
        "fading-writes-sieve": (mean(cells, "fading", "SIEVE", "writes_per_1000"), writes),
    }


def _summary(cells: list[Cell]) -> Iterable[Sequence[str]]:
    """Tables 1 and 2: means over the seeds; the idle share is empty where the paper does not ask for it."""
    mean = experiment.mean
    for workload in experiment.WORKLOADS:
        for policy in policies.POLICIES:
            idle = experiment.has_idle_share(workload, policy)
            yield (
                workload,
                policy,
                f"{mean(cells, workload, policy):.3f}",
                f"{mean(cells, workload, policy, 'writes_per_1000'):.3f}",
                f"{mean(cells, workload, policy, 'idle_share'):.2f}" if idle else "",
            )


def _csv(name: str, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with open(OUT / name, "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)
    print(f"  wrote out/{name}")


def _text(path: pathlib.Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    print(f"  wrote {path.as_posix()}")


if __name__ == "__main__":
    main()
