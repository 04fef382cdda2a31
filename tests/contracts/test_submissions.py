"""The contract of `Submissions`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from runner.domain.errors import NotFound
from runner.ports import each_page


class SubmissionsContract:
    @pytest.fixture
    def paper(self, site, samples):
        return site.papers.add(samples.paper(), samples.audit())

    def test_reads_back_what_was_added(self, site, samples, paper):
        submission = samples.submission(paper)
        assert site.submissions.add(submission, samples.audit()) == (submission, True)
        assert site.submissions.get(submission.submission_id) == submission

    def test_the_same_bytes_of_the_same_paper_are_one_submission(self, site, samples, paper):
        first = samples.submission(paper)
        site.submissions.add(first, samples.audit())
        before = len(site.audit())
        again = samples.submission(paper, file=replace(samples.file(), sha256=first.file.sha256))
        assert site.submissions.add(again, samples.audit()) == (first, False)
        assert len(site.audit()) == before
        other = site.papers.add(samples.paper(), samples.audit())
        elsewhere = samples.submission(other, file=again.file)
        assert site.submissions.add(elsewhere, samples.audit()) == (elsewhere, True)

    def test_parallel_equal_submissions_are_one(self, site, samples, paper):
        file = samples.file()
        with ThreadPoolExecutor(8) as threads:
            answers = list(
                threads.map(
                    lambda _: site.submissions.add(samples.submission(paper, file=file), samples.audit()), range(8)
                )
            )
        assert len({submission.submission_id for submission, _ in answers}) == 1
        assert sorted(is_new for _, is_new in answers) == [False] * 7 + [True]

    def test_pages_are_newest_first_and_give_each_once(self, site, samples, paper):
        added = [samples.submission(paper, created_at=samples.after(number // 2)) for number in range(7)]
        for submission in added:
            site.submissions.add(submission, samples.audit())
        walk = list(each_page(lambda after: site.submissions.page(paper.repository_id, after, 2)))
        assert walk == sorted(added, key=lambda each: (each.created_at, each.submission_id), reverse=True)
        assert site.submissions.newest(paper.repository_id) == walk[0]

    def test_what_is_not_there_is_not_found(self, site, samples, paper):
        for read in (
            lambda: site.submissions.newest(paper.repository_id),
            lambda: site.submissions.get("sub_unknown"),
            lambda: site.submissions.get("a\0b"),
        ):
            with pytest.raises(NotFound) as refused:
                read()
            assert refused.value.code == "submission_not_found"

    def test_a_deleted_paper_takes_no_submission(self, site, samples, paper):
        site.papers.delete(paper.paper_id, samples.audit())
        with pytest.raises(NotFound) as refused:
            site.submissions.add(samples.submission(paper), samples.audit())
        assert refused.value.code == "paper_not_found"


class TestMemory(SubmissionsContract):
    @pytest.fixture
    def site(self, memory_site):
        return memory_site


class TestSqlite(SubmissionsContract):
    @pytest.fixture
    def site(self, sqlite_site):
        return sqlite_site


class TestPostgreSQL(SubmissionsContract):
    @pytest.fixture
    def site(self, postgresql_site):
        return postgresql_site
