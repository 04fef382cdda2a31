"""What the hit ratio of a cache should be when requests are independent: a check of the simulator, not of the paper."""

from __future__ import annotations

import math
from typing import Callable


def lru(probabilities: list[float], capacity: int) -> float:
    """Che's approximation of LRU, in percent (Che, Tung and Wang 2002)."""
    return _hit_ratio(probabilities, capacity, lambda load: -math.expm1(-load))


def fifo(probabilities: list[float], capacity: int) -> float:
    """The same idea for FIFO, in percent (Martina, Garetto and Leonardi 2014)."""
    return _hit_ratio(probabilities, capacity, lambda load: load / (1.0 + load))


def _hit_ratio(probabilities: list[float], capacity: int, presence: Callable[[float], float]) -> float:
    """Finds the time an object stays, such that on average `capacity` objects are present; `presence(p * time)`."""
    low, high = 0.0, 1.0
    while sum(presence(p * high) for p in probabilities) < capacity:
        high *= 2.0
    for _ in range(40):
        middle = (low + high) / 2.0
        if sum(presence(p * middle) for p in probabilities) < capacity:
            low = middle
        else:
            high = middle
    return 100.0 * sum(p * presence(p * high) for p in probabilities)
