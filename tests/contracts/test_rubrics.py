"""The contract of `Rubrics`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from runner.domain.errors import Conflict, NotFound


class RubricsContract:
    @pytest.fixture
    def paper(self, site, samples):
        return site.papers.add(samples.paper(), samples.audit())

    def test_versions_count_from_one_and_stay_as_they_were(self, site, samples, paper):
        first, what = site.rubrics.add(samples.rubric(paper, "first"), None, samples.audit())
        assert (first.version, what) == (1, "created")
        second, what = site.rubrics.add(samples.rubric(paper, "second"), None, samples.audit())
        assert (second.version, what) == (2, "created")
        assert site.rubrics.version(paper.repository_id, 1) == site.rubrics.get(first.rubric_id) == first
        assert site.rubrics.newest(paper.repository_id) == second

    def test_the_tree_comes_back_with_its_keys_in_order(self, site, samples, paper):
        tree = {"z": 1, "a": [0.1, 1e-300, 12345678901234567890, "再現", None, True], "m": {"\u0001": "</script>"}}
        site.rubrics.add(samples.rubric(paper, tree=tree), None, samples.audit())
        stored = site.rubrics.newest(paper.repository_id).tree
        assert stored == tree
        assert list(stored) == ["z", "a", "m"]

    def test_equal_content_gives_the_version_that_is_there(self, site, samples, paper):
        first, _ = site.rubrics.add(samples.rubric(paper), None, samples.audit())
        before = len(site.audit())
        again, what = site.rubrics.add(samples.rubric(paper), None, samples.audit())
        assert (again, what) == (first, "same")
        assert len(site.audit()) == before

    def test_other_flags_alone_replace_the_flags(self, site, samples, paper):
        first, _ = site.rubrics.add(samples.rubric(paper), None, samples.audit())
        flagged, what = site.rubrics.add(
            samples.rubric(paper, flags={"/sub_tasks/0": ["vague"]}), None, samples.audit()
        )
        assert what == "flags"
        assert flagged == replace(first, flags={"/sub_tasks/0": ["vague"]})
        assert site.rubrics.get(first.rubric_id) == flagged

    def test_another_envelope_is_other_content(self, site, samples, paper):
        first, _ = site.rubrics.add(samples.rubric(paper), None, samples.audit())
        contract = {"reproduce_contract": {"expected_artifacts": ["out.csv"]}}
        given = replace(samples.rubric(paper), envelope=contract)
        second, what = site.rubrics.add(given, None, samples.audit())
        assert (second.version, what, second.envelope) == (2, "created", contract)
        assert site.rubrics.get(first.rubric_id).envelope == first.envelope

    def test_only_the_newest_version_counts_as_equal(self, site, samples, paper):
        for content, version in [("a", 1), ("b", 2), ("a", 3)]:
            assert site.rubrics.add(samples.rubric(paper, content), None, samples.audit())[0].version == version

    def test_an_editor_with_an_old_version_is_refused(self, site, samples, paper):
        site.rubrics.add(samples.rubric(paper, "a"), 0, samples.audit())
        site.rubrics.add(samples.rubric(paper, "b"), 1, samples.audit())
        with pytest.raises(Conflict) as refused:
            site.rubrics.add(samples.rubric(paper, "c"), 1, samples.audit())
        assert refused.value.code == "version_conflict"
        assert refused.value.facts["version"] == 2

    def test_of_parallel_editors_of_one_version_one_wins(self, site, samples, paper):
        site.rubrics.add(samples.rubric(paper, "start"), None, samples.audit())

        def edit(number):
            try:
                return site.rubrics.add(samples.rubric(paper, f"edit {number}"), 1, samples.audit())[0].version
            except Conflict as conflict:
                return conflict.facts["version"]

        with ThreadPoolExecutor(8) as threads:
            assert list(threads.map(edit, range(8))) == [2] * 8
        assert site.rubrics.newest(paper.repository_id).version == 2

    def test_parallel_editors_without_a_version_get_one_each(self, site, samples, paper):
        def edit(number):
            return site.rubrics.add(samples.rubric(paper, f"edit {number}"), None, samples.audit())[0].version

        with ThreadPoolExecutor(8) as threads:
            assert sorted(threads.map(edit, range(16))) == list(range(1, 17))

    def test_what_is_not_there_is_not_found(self, site, samples, paper):
        for read in (
            lambda: site.rubrics.newest(paper.repository_id),
            lambda: site.rubrics.version(paper.repository_id, 1),
            lambda: site.rubrics.get("rub_unknown"),
            lambda: site.rubrics.get("\ud800"),
        ):
            with pytest.raises(NotFound) as refused:
                read()
            assert refused.value.code == "rubric_not_found"

    def test_a_deleted_paper_takes_no_rubric(self, site, samples, paper):
        site.papers.delete(paper.paper_id, samples.audit())
        with pytest.raises(NotFound) as refused:
            site.rubrics.add(samples.rubric(paper), None, samples.audit())
        assert refused.value.code == "paper_not_found"


class TestMemory(RubricsContract):
    @pytest.fixture
    def site(self, memory_site):
        return memory_site


class TestSqlite(RubricsContract):
    @pytest.fixture
    def site(self, sqlite_site):
        return sqlite_site


class TestPostgreSQL(RubricsContract):
    @pytest.fixture
    def site(self, postgresql_site):
        return postgresql_site
