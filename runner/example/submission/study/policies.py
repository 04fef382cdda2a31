"""Eviction policies as plain functions: a trace of object numbers in, an Outcome out.

All of them start empty and admit every object that misses. The first `skip` requests are served but not counted.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict, deque
from typing import Callable, NamedTuple, Optional, Sequence


class Outcome(NamedTuple):
    """What one policy did on one trace.

    `writes` are changes of the replacement order or of a reference bit that a *hit* caused; `laps` is how often the hand
    of SIEVE went from the oldest object to the newest. `cached` is what the cache holds at the end.
    """

    requests: int
    hits: int
    writes: int
    cached: frozenset[int]
    laps: int = 0

    @property
    def hit_ratio(self) -> float:
        """In percent."""
        return 100.0 * self.hits / self.requests


Policy = Callable[[Sequence[int], int], Outcome]


def fifo(trace: Sequence[int], capacity: int, skip: int = 0) -> Outcome:
    """The oldest object leaves, however often it was used."""
    order: deque[int] = deque()
    cached: set[int] = set()
    hits = 0
    for now, item in enumerate(trace):
        if item in cached:
            hits += now >= skip
            continue
        if len(cached) == capacity:
            cached.remove(order.popleft())
        cached.add(item)
        order.append(item)
    return Outcome(len(trace) - skip, hits, 0, frozenset(cached))


def lru(trace: Sequence[int], capacity: int, skip: int = 0) -> Outcome:
    """The object that was used least recently leaves: every hit moves its object to the front."""
    order: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for now, item in enumerate(trace):
        if item in order:
            order.move_to_end(item)
            hits += now >= skip
            continue
        if len(order) == capacity:
            order.popitem(last=False)
        order[item] = None
    return Outcome(len(trace) - skip, hits, hits, frozenset(order))


def clock(trace: Sequence[int], capacity: int, skip: int = 0) -> Outcome:
    """FIFO with one reference bit: a used object at the hand gets a second chance as if it were new (Corbato 1968)."""
    ring: list[Optional[int]] = [None] * capacity
    used: dict[int, bool] = {}
    hits = writes = hand = 0
    for now, item in enumerate(trace):
        if item in used:
            if now >= skip:
                hits += 1
                writes += not used[item]
            used[item] = True
            continue
        while (victim := ring[hand]) is not None and used[victim]:
            used[victim] = False
            hand = (hand + 1) % capacity
        if victim is not None:
            del used[victim]
        ring[hand] = item
        used[item] = False
        hand = (hand + 1) % capacity
    return Outcome(len(trace) - skip, hits, writes, frozenset(used))


def sieve(trace: Sequence[int], capacity: int, skip: int = 0) -> Outcome:
    """One reference bit, and survivors stay where they are; new objects enter at the head (Zhang et al. 2024).

    The hand walks from the tail (oldest) to the head (newest), clears the bits it meets, and evicts the first object
    whose bit is clear. Unlike in CLOCK, the next new object does not take the victim's place.
    """
    newer: dict[int, Optional[int]] = {}
    older: dict[int, Optional[int]] = {}
    used: dict[int, bool] = {}
    head: Optional[int] = None
    tail: Optional[int] = None
    hand: Optional[int] = None
    hits = writes = laps = 0
    for now, item in enumerate(trace):
        if item in used:
            if now >= skip:
                hits += 1
                writes += not used[item]
            used[item] = True
            continue
        if len(used) == capacity:
            if hand is None:
                hand = tail
            while used[hand]:  # type: ignore[index]
                used[hand] = False  # type: ignore[index]
                hand = newer[hand]  # type: ignore[index]
                if hand is None:
                    hand = tail
                    laps += now >= skip
            victim = hand
            del used[victim]  # type: ignore[arg-type]
            after, before = newer.pop(victim), older.pop(victim)  # type: ignore[arg-type]
            if after is None:
                head = before
                laps += now >= skip
            else:
                older[after] = before
            if before is None:
                tail = after
            else:
                newer[before] = after
            hand = after
        used[item] = False
        newer[item], older[item] = None, head
        if head is None:
            tail = item
        else:
            newer[head] = item
        head = item
    return Outcome(len(trace) - skip, hits, writes, frozenset(used), laps)


def optimal(trace: Sequence[int], capacity: int, skip: int = 0) -> Outcome:
    """MIN: the object whose next use lies furthest ahead leaves (Belady 1966). No real cache can know it: an upper bound."""
    never = len(trace)
    following = [never] * len(trace)
    seen: dict[int, int] = {}
    for now in range(len(trace) - 1, -1, -1):
        following[now] = seen.get(trace[now], never)
        seen[trace[now]] = now
    next_use: dict[int, int] = {}
    furthest: list[tuple[int, int]] = []
    hits = 0
    for now, item in enumerate(trace):
        if item in next_use:
            hits += now >= skip
        elif len(next_use) == capacity:
            while True:  # entries of objects that were used again since are stale
                negative, victim = heapq.heappop(furthest)
                if next_use.get(victim) == -negative:
                    del next_use[victim]
                    break
        next_use[item] = following[now]
        heapq.heappush(furthest, (-following[now], item))
    return Outcome(len(trace) - skip, hits, 0, frozenset(next_use))


POLICIES: dict[str, Policy] = {"FIFO": fifo, "LRU": lru, "CLOCK": clock, "SIEVE": sieve, "MIN": optimal}
