"""Synthetic request traces: who asks for what, in which order. The same seed gives the same trace on every machine."""

from __future__ import annotations

import itertools
import random
from bisect import bisect_left
COLD = 10_000_000
"""Objects of a scan are numbered from here: nobody asks for one twice."""


def popularity(objects: int, alpha: float) -> list[float]:
    """Zipf: the object of rank r (1 is the most popular) is asked for with a probability proportional to r ** -alpha."""
    weights = [rank**-alpha for rank in range(1, objects + 1)]
    total = sum(weights)
    return [weight / total for weight in weights]


def ranks(probabilities: list[float], requests: int, seed: int) -> list[int]:
    """Independent draws of ranks, 0 being the most popular one."""
    limits = list(itertools.accumulate(probabilities))
    draw = random.Random(seed).random
    last = len(limits) - 1
    return [min(bisect_left(limits, draw()), last) for _ in range(requests)]


def scanned(drawn: list[int], every: int, length: int) -> list[int]:
    """The last `length` of each `every` requests become a scan: objects that are never asked for again."""
    trace = list(drawn)
    for start in range(every - length, len(trace) - length + 1, every):
        trace[start : start + length] = range(COLD + start, COLD + start + length)
    return trace


def fading(drawn: list[int], speed: float, objects: int) -> list[int]:
    """An object appears as the most popular one and from then on loses `speed` ranks per 1,000 requests."""
    return [(rank - int(now * speed / 1000)) % objects for now, rank in enumerate(drawn)]


def rising(drawn: list[int], speed: float, objects: int) -> list[int]:
    """The fading trace read backwards: objects climb, and are forgotten at the height of their popularity."""
    return fading(drawn, speed, objects)[::-1]
