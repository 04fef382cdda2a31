"""The experiment itself: three seeds, four workloads, five policies, and a sweep over the speed of the drift."""

from __future__ import annotations

import functools
import statistics
import time
from typing import Callable, Iterator, NamedTuple

from . import policies, theory, traces

OBJECTS = 10_000
ALPHA = 0.9
CAPACITY = 500
REQUESTS = 100_000
SEEDS = (11, 12, 13)
SPEED = 20.0
"""Ranks per 1,000 requests, in the workloads `fading` and `rising`."""
SPEEDS = (0.0, 2.0, 5.0, 10.0, 20.0, 50.0)
SCAN_EVERY, SCAN_LENGTH = 5_000, 1_000
STEADY_AFTER = 10_000
"""Requests left out when the simulator is compared with theory, which knows no cold start."""

WORKLOADS: dict[str, Callable[[list[int]], list[int]]] = {
    "static": lambda drawn: drawn,
    "scan": lambda drawn: traces.scanned(drawn, SCAN_EVERY, SCAN_LENGTH),
    "fading": lambda drawn: traces.fading(drawn, SPEED, OBJECTS),
    "rising": lambda drawn: traces.rising(drawn, SPEED, OBJECTS),
}


class Cell(NamedTuple):
    """One policy on one workload with one seed. `hit_ratio` is in percent of the requests that are not part of a scan."""

    workload: str
    policy: str
    seed: int
    hit_ratio: float
    writes_per_1000: float
    idle_share: float | None


class Point(NamedTuple):
    """One point of the sweep: a hit ratio in percent, mean over the seeds."""

    speed: float
    direction: str
    policy: str
    hit_ratio: float


def grid() -> Iterator[Cell]:
    """Every policy on every workload with every seed; prints one line per workload and seed."""
    for workload, shape in WORKLOADS.items():
        for seed in SEEDS:
            started = time.perf_counter()
            trace = shape(_drawn(seed))
            cells = [_cell(workload, policy, seed, trace) for policy in policies.POLICIES]
            shown = "  ".join(f"{cell.policy} {cell.hit_ratio:5.2f}" for cell in cells)
            print(f"  {workload:<7} seed {seed}   {shown}   [{time.perf_counter() - started:.2f} s]")
            yield from cells


def sweep() -> Iterator[Point]:
    """LRU and SIEVE over all speeds; prints one line per speed. LRU runs once: both directions are equal (see `grid`)."""
    lines = (("LRU", "either", traces.fading), ("SIEVE", "fading", traces.fading), ("SIEVE", "rising", traces.rising))
    for speed in SPEEDS:
        points = []
        for policy, direction, shape in lines:
            ratios = [policies.POLICIES[policy](shape(_drawn(s), speed, OBJECTS), CAPACITY).hit_ratio for s in SEEDS]
            points.append(Point(speed, direction, policy, statistics.fmean(ratios)))
        lru, fading, rising = (point.hit_ratio for point in points)
        print(f"  {speed:4.0f} ranks per 1,000 requests   LRU {lru:5.2f}   SIEVE fading {fading:5.2f}, rising {rising:5.2f}")
        yield from points


def crossover(points: list[Point]) -> float:
    """The speed at which SIEVE falls behind LRU when objects rise, between two measured speeds by straight lines."""
    at = {(p.speed, p.policy): p.hit_ratio for p in points if p.direction != "fading"}
    lead = [(speed, at[speed, "SIEVE"] - at[speed, "LRU"]) for speed in SPEEDS]
    for (speed, ahead), (next_speed, behind) in zip(lead, lead[1:]):
        if ahead >= 0.0 > behind:
            return speed + (next_speed - speed) * ahead / (ahead - behind)
    raise ValueError("SIEVE never falls behind LRU in this sweep")


def steady(policy: str) -> float:
    """Hit ratio on static traffic without the cold start, mean over the seeds: what theory predicts."""
    simulate = {"LRU": policies.lru, "FIFO": policies.fifo}[policy]
    return statistics.fmean(simulate(_drawn(seed), CAPACITY, STEADY_AFTER).hit_ratio for seed in SEEDS)


def predicted(policy: str) -> float:
    """The approximation of the same number."""
    return {"LRU": theory.lru, "FIFO": theory.fifo}[policy](_popularity(), CAPACITY)


def mean(cells: list[Cell], workload: str, policy: str, field: str = "hit_ratio") -> float:
    """Mean of one field over the seeds."""
    return statistics.fmean(getattr(c, field) for c in cells if c.workload == workload and c.policy == policy)


def has_idle_share(workload: str, policy: str) -> bool:
    """Whether Table 2 asks for it."""
    return workload in ("fading", "rising") and policy in ("LRU", "CLOCK", "SIEVE")


def _cell(workload: str, policy: str, seed: int, trace: list[int]) -> Cell:
    outcome = policies.POLICIES[policy](trace, CAPACITY)
    ordinary = sum(item < traces.COLD for item in trace)
    return Cell(
        workload=workload,
        policy=policy,
        seed=seed,
        hit_ratio=100.0 * outcome.hits / ordinary,
        writes_per_1000=1000.0 * outcome.writes / ordinary,
        idle_share=_idle(policy, trace) if has_idle_share(workload, policy) else None,
    )


def _idle(policy: str, trace: list[int]) -> float:
    """Percent of the objects in the cache half-way through that nobody asks for in the next tenth of the trace."""
    half, tenth = len(trace) // 2, len(trace) // 10
    cached = policies.POLICIES[policy](trace[:half], CAPACITY).cached
    return 100.0 * len(cached.difference(trace[half : half + tenth])) / len(cached)


@functools.lru_cache(maxsize=None)
def _popularity() -> list[float]:
    return traces.popularity(OBJECTS, ALPHA)


@functools.lru_cache(maxsize=None)
def _drawn(seed: int) -> list[int]:
    return traces.ranks(_popularity(), REQUESTS, seed)
