"""The contract of `Keys`."""

from __future__ import annotations

import pytest

from runner.domain.access import Key


class KeysContract:
    @pytest.fixture
    def key(self, site, samples):
        key = Key("key_1", "ci", ("run", "admin"), "a" * 64, samples.now)
        site.keys.add(key)
        return key

    def test_a_key_is_found_by_the_hash_of_its_secret(self, site, key):
        assert site.keys.find("a" * 64) == key
        assert site.keys.find("b" * 64) is None

    def test_a_revoked_key_is_still_found_and_says_so(self, site, samples, key):
        assert site.keys.revoke("key_1", samples.after(1))
        assert site.keys.find("a" * 64).revoked_at == samples.after(1)

    def test_a_key_is_revoked_once(self, site, samples, key):
        assert [site.keys.revoke("key_1", samples.after(second)) for second in (1, 2)] == [True, False]
        assert not site.keys.revoke("key_2", samples.now)
        assert site.keys.find("a" * 64).revoked_at == samples.after(1)

    def test_all_keys_are_listed_oldest_first(self, site, samples, key):
        older = Key("key_9", "old", ("run",), "c" * 64, samples.after(-1))
        site.keys.add(older)
        assert site.keys.all() == (older, key)


class TestMemory(KeysContract):
    @pytest.fixture
    def site(self, memory_site):
        return memory_site


class TestSqlite(KeysContract):
    @pytest.fixture
    def site(self, sqlite_site):
        return sqlite_site


class TestPostgreSQL(KeysContract):
    @pytest.fixture
    def site(self, postgresql_site):
        return postgresql_site
