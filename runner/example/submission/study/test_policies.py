"""Tests of the simulator: `python3 -m unittest study.test_policies`."""

from __future__ import annotations

import random
import unittest

from . import policies, theory, traces


class Policies(unittest.TestCase):
    def test_a_cache_that_holds_everything_misses_each_object_once(self) -> None:
        trace = [1, 2, 3, 1, 2, 3, 3, 1]
        for policy in policies.POLICIES.values():
            self.assertEqual(policy(trace, 3).hits, 5)

    def test_no_cache_holds_more_than_it_may(self) -> None:
        trace = _trace(2_000)
        for policy in policies.POLICIES.values():
            self.assertEqual(len(policy(trace, 7).cached), 7)

    def test_lru_keeps_what_was_used_last(self) -> None:
        self.assertEqual(policies.lru([1, 2, 1, 3], 2).cached, {1, 3})

    def test_fifo_forgets_the_oldest_even_when_it_was_used(self) -> None:
        self.assertEqual(policies.fifo([1, 2, 1, 3], 2).cached, {2, 3})

    def test_sieve_by_hand(self) -> None:
        """G (oldest) to A fill the cache; G, D, B, A are used; then H, I and J push out F, E and C, not G and D."""
        trace = "GFEDCBA" "GDBA" "HADIBJ"
        self.assertEqual(policies.sieve([ord(name) for name in trace], 7).cached, {ord(name) for name in "GDBAHIJ"})

    def test_nothing_beats_belady(self) -> None:
        trace = _trace(3_000)
        best = policies.optimal(trace, 20).hits
        self.assertTrue(all(policy(trace, 20).hits <= best for policy in policies.POLICIES.values()))

    def test_lru_and_belady_cannot_tell_the_direction_of_time(self) -> None:
        trace = _trace(3_000)
        for policy in (policies.lru, policies.optimal):
            self.assertEqual(policy(trace, 20).hits, policy(trace[::-1], 20).hits)


class Traces(unittest.TestCase):
    def test_the_same_seed_gives_the_same_trace(self) -> None:
        self.assertEqual(_trace(100), _trace(100))

    def test_a_scan_replaces_requests_and_adds_none(self) -> None:
        trace = traces.scanned([0] * 100, every=10, length=3)
        self.assertEqual((len(trace), len(set(trace))), (100, 31))

    def test_theory_and_simulation_agree(self) -> None:
        probabilities = traces.popularity(1_000, 0.9)
        drawn = traces.ranks(probabilities, 30_000, seed=5)
        self.assertAlmostEqual(policies.lru(drawn, 100, 2_000).hit_ratio, theory.lru(probabilities, 100), delta=1.0)


def _trace(requests: int) -> list[int]:
    draw = random.Random(3)
    return [int(100 * draw.random() ** 3) for _ in range(requests)]


if __name__ == "__main__":
    unittest.main()
