"""The contract of `Workers`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest


class WorkersContract:
    def test_workers_are_alive_while_they_beat(self, site, samples):
        assert site.workers.alive(samples.now) == 0
        site.workers.beat("wk_1", samples.now)
        site.workers.beat("wk_2", samples.after(5))
        site.workers.beat("wk_1", samples.after(9))
        assert [site.workers.alive(samples.after(second)) for second in (0, 6, 9, 10)] == [2, 1, 1, 0]

    def test_a_lease_is_its_holders_until_it_expires(self, site, samples):
        def take(holder, now, until):
            return site.workers.take_lease("conductor", holder, samples.after(now), samples.after(until))

        assert take("a", 0, 10)
        assert not take("b", 5, 15)
        assert take("a", 6, 16)
        assert not take("b", 15.999999, 30)
        assert take("b", 16, 26)
        assert not take("a", 17, 27)
        assert site.workers.take_lease("other", "a", samples.now, samples.after(1))

    def test_of_many_who_want_a_free_lease_one_gets_it(self, site, samples):
        with ThreadPoolExecutor(8) as threads:
            taken = list(
                threads.map(
                    lambda number: site.workers.take_lease("conductor", str(number), samples.now, samples.after(9)),
                    range(8),
                )
            )
        assert sorted(taken) == [False] * 7 + [True]


class TestMemory(WorkersContract):
    @pytest.fixture
    def site(self, memory_site):
        return memory_site


class TestSqlite(WorkersContract):
    @pytest.fixture
    def site(self, sqlite_site):
        return sqlite_site


class TestPostgreSQL(WorkersContract):
    @pytest.fixture
    def site(self, postgresql_site):
        return postgresql_site
