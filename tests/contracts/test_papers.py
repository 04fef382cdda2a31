"""The contract of `Papers`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from runner.domain.errors import Conflict, NotFound
from runner.ports import each_page


def listed(site, sort="paper_id", descending=False, limit=2, words=(), **filters):
    """The ids that a walk over all pages gives."""

    def read(after):
        return site.papers.page(words=words, sort=sort, descending=descending, after=after, limit=limit, **filters)

    return [paper.paper_id for paper in each_page(read)]


class PapersContract:
    def test_reads_back_what_was_added(self, site, samples):
        paper = samples.paper(year=None, ad_pdf=samples.file(), authors=())
        assert site.papers.add(paper, samples.audit()) == paper
        assert site.papers.get(paper.paper_id) == paper

    @pytest.mark.parametrize("paper_id", ["absent", "..", "", "a/b", "a\0b", "\ud800", "再現"])
    def test_an_unknown_or_impossible_id_is_not_found(self, site, paper_id):
        with pytest.raises(NotFound) as refused:
            site.papers.get(paper_id)
        assert refused.value.code == "paper_not_found"

    def test_a_second_paper_of_the_same_id_is_refused_with_the_first(self, site, samples):
        paper = site.papers.add(samples.paper("one"), samples.audit())
        with pytest.raises(Conflict) as refused:
            site.papers.add(samples.paper("one", title="Other", slug="other"), samples.audit())
        assert refused.value.code == "paper_exists"
        assert refused.value.facts["existing"] == paper

    def test_a_taken_name_is_refused(self, site, samples):
        site.papers.add(samples.paper("one", owner="o", slug="s"), samples.audit())
        assert site.papers.slug_is_taken("o", "s")
        assert not site.papers.slug_is_taken("o", "t")
        with pytest.raises(Conflict) as refused:
            site.papers.add(samples.paper("two", owner="o", slug="s"), samples.audit())
        assert refused.value.code == "slug_taken"
        other = site.papers.add(samples.paper("three"), samples.audit())
        with pytest.raises(Conflict) as refused:
            site.papers.change("three", lambda paper: replace(paper, owner="o", slug="s"), samples.audit())
        assert refused.value.code == "slug_taken"
        assert site.papers.get("three") == other

    def test_a_change_is_stored_and_told(self, site, samples):
        site.papers.add(samples.paper("one"), samples.audit("import", "one"))
        changed = site.papers.change(
            "one",
            lambda paper: replace(paper, title="New", version=paper.version + 1),
            samples.audit("metadata", "one"),
        )
        assert changed == site.papers.get("one")
        assert (changed.title, changed.version) == ("New", 2)
        assert [row.action for row in site.audit()] == ["import", "metadata"]

    def test_what_an_edit_raises_passes_through_and_changes_nothing(self, site, samples):
        paper = site.papers.add(samples.paper("one"), samples.audit())

        def edit(paper):
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            site.papers.change("one", edit, samples.audit("metadata"))
        assert site.papers.get("one") == paper
        assert len(site.audit()) == 1
        with pytest.raises(NotFound):
            site.papers.change("absent", lambda paper: paper, samples.audit())

    def test_parallel_changes_of_different_fields_are_all_kept(self, site, samples):
        site.papers.add(samples.paper("one", summary=""), samples.audit())

        def append(number):
            def edit(paper):
                return replace(paper, summary=f"{paper.summary}{number};", version=paper.version + 1)

            site.papers.change("one", edit, samples.audit())

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(append, range(24)))
        paper = site.papers.get("one")
        assert paper.version == 25
        assert sorted(paper.summary.strip(";").split(";"), key=int) == [str(number) for number in range(24)]

    def test_forty_parallel_imports_are_all_kept(self, site, samples):
        papers = [samples.paper() for _ in range(40)]
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(lambda paper: site.papers.add(paper, samples.audit()), papers))
        assert sorted(listed(site, limit=50)) == sorted(paper.paper_id for paper in papers)

    def test_of_twenty_equal_imports_one_wins_and_the_others_see_it(self, site, samples):
        papers = [samples.paper("same", title=str(number)) for number in range(20)]

        def add(paper):
            try:
                return site.papers.add(paper, samples.audit()), None
            except Conflict as conflict:
                return None, conflict

        with ThreadPoolExecutor(10) as threads:
            answers = list(threads.map(add, papers))
        winner = site.papers.get("same")
        assert [paper for paper, _ in answers if paper] == [winner]
        assert [conflict.facts["existing"] for _, conflict in answers if conflict] == [winner] * 19
        assert len(site.audit()) == 1

    @pytest.mark.parametrize("limit", [1, 2, 3, 100])
    @pytest.mark.parametrize(
        "sort, descending, expected",
        [
            ("paper_id", False, ["A", "b", "c", "d", "e"]),
            ("paper_id", True, ["e", "d", "c", "b", "A"]),
            ("title", False, ["c", "A", "e", "b", "d"]),
            ("title", True, ["d", "b", "A", "e", "c"]),
            ("year", False, ["c", "A", "e", "b", "d"]),
            ("year", True, ["A", "e", "c", "b", "d"]),
            ("imported_at", False, ["d", "c", "b", "A", "e"]),
            ("imported_at", True, ["A", "e", "b", "c", "d"]),
        ],
    )
    def test_pages_follow_the_order_with_ties_by_id_and_null_years_last(
        self, site, samples, sort, descending, expected, limit
    ):
        for paper_id, title, year, second in [
            ("b", "ｂravo", None, 2),
            ("A", "Alpha", 2020, 3),
            ("d", "再現", None, 0),
            ("e", "alpha", 2020, 3),
            ("c", "Aardvark", 1999, 1),
        ]:
            paper = samples.paper(paper_id, title=title, year=year, imported_at=samples.after(second))
            site.papers.add(paper, samples.audit())
        assert listed(site, sort, descending, limit) == expected

    @pytest.mark.parametrize("descending", [False, True])
    @pytest.mark.parametrize("sort", ["imported_at", "title", "year", "paper_id"])
    def test_a_walk_gives_every_paper_once_whatever_is_inserted_and_deleted(self, site, samples, sort, descending):
        first = [samples.paper(f"m{number:02}", year=2000 + number % 2) for number in range(9)]
        for paper in first:
            site.papers.add(paper, samples.audit())
        seen, after = [], None
        for turn in range(100):
            page = site.papers.page(words=(), sort=sort, descending=descending, after=after, limit=2)
            seen += [paper.paper_id for paper in page.items]
            site.papers.add(samples.paper(f"a{turn}", year=1990, imported_at=samples.after(-9)), samples.audit())
            site.papers.add(samples.paper(f"z{turn}", year=None, imported_at=samples.after(9)), samples.audit())
            if turn == 1:
                site.papers.delete(page.items[-1].paper_id, samples.audit())
            if page.next_after is None or len(seen) > 60:
                break
            after = page.next_after
        assert len(seen) == len(set(seen))
        assert {paper.paper_id for paper in first} <= set(seen)

    def test_every_word_must_match_somewhere(self, site, samples):
        site.papers.add(samples.paper("one", title="Deep Sleep", authors=("Ｍüller",), venue="ICML"), samples.audit())
        site.papers.add(samples.paper("two", title="Deep Water", authors=("Ada",), source="x_y.pdf"), samples.audit())
        assert listed(site, words=["deep"]) == ["one", "two"]
        assert listed(site, words=["DEEP", "eep", "icml"]) == ["one"]
        assert listed(site, words=["müller", "ONE"]) == ["one"]
        assert listed(site, words=["x_y"]) == ["two"]
        assert listed(site, words=["deep", "icml", "ada"]) == []

    @pytest.mark.parametrize("word", ["%", "_", "*", "\\", "'", '"', "100%", "sleep\ndeep"])
    def test_signs_in_words_are_plain_characters(self, site, samples, word):
        site.papers.add(samples.paper("one", title="sleep", venue="deep", source="plain"), samples.audit())
        assert listed(site, words=[word]) == []
        site.papers.add(samples.paper("two", title=f"a {word} b"), samples.audit())
        assert listed(site, words=[word]) == ["two"]

    def test_filters_narrow_the_list(self, site, samples):
        site.papers.add(samples.paper("free", license="mit"), samples.audit())
        site.papers.add(samples.paper("nc", license="cc by-nc 4.0", source_type="doi"), samples.audit())
        site.papers.add(samples.paper("dark", license="?", visibility="private", year=None), samples.audit())
        assert listed(site, usable=True) == ["free"]
        assert listed(site, usable=False) == ["dark", "nc"]
        assert listed(site, scopes=["non_commercial", "unknown"]) == ["dark", "nc"]
        assert listed(site, source_types=["doi"]) == ["nc"]
        assert listed(site, with_private=False) == ["free", "nc"]
        assert listed(site, "year", with_private=False, usable=True) == ["free"]

    def test_a_deleted_paper_takes_its_unused_rubrics_and_submissions_along(self, site, samples):
        paper, rubric, submission = samples.stored_paper(site, paper_id="gone")
        other, *_ = samples.stored_paper(site, paper_id="stays", pdf=paper.pdf)
        files = site.papers.delete("gone", samples.audit("delete", "gone"))
        assert set(files) == {submission.file}, "the PDF is still the other paper's"
        for read in (
            lambda: site.rubrics.get(rubric.rubric_id),
            lambda: site.submissions.get(submission.submission_id),
        ):
            with pytest.raises(NotFound):
                read()
        assert site.papers.get("stays") == other
        assert site.audit()[-1].action == "delete"
        with pytest.raises(NotFound):
            site.papers.delete("gone", samples.audit())

    def test_what_a_run_used_stays_when_the_paper_goes(self, site, samples):
        run = samples.launched(site)
        paper = site.papers.get(run.paper_id)
        second, _ = site.rubrics.add(samples.rubric(paper, "second"), None, samples.audit())
        with pytest.raises(Conflict) as refused:
            site.papers.delete(run.paper_id, samples.audit())
        assert refused.value.code == "paper_has_active_runs"
        assert refused.value.facts["job_ids"] == [run.run_id]
        assert site.papers.get(run.paper_id) == paper
        site.runs.request_cancel(run.run_id, samples.audit(), samples.now)
        assert site.papers.delete(run.paper_id, samples.audit()) == (paper.pdf,)
        assert site.rubrics.get(run.rubric_id).repository_id == run.repository_id
        assert site.submissions.get(run.submission_id).has_script
        assert site.runs.get(run.run_id).status == "cancelled"
        with pytest.raises(NotFound):
            site.rubrics.get(second.rubric_id)


class TestMemory(PapersContract):
    @pytest.fixture
    def site(self, memory_site):
        return memory_site


class TestSqlite(PapersContract):
    @pytest.fixture
    def site(self, sqlite_site):
        return sqlite_site


class TestPostgreSQL(PapersContract):
    @pytest.fixture
    def site(self, postgresql_site):
        return postgresql_site
