"""Every list is read along an index: the same cost on page 1 and page 10,000, and nothing is sorted."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest
from sqlalchemy import Engine, event


@pytest.fixture
def plans(tmp_path):
    """A function that carries out `work` and gives the plan of each SELECT in it."""

    def of(work):
        said = []

        def listen(connection, cursor, statement, parameters, context, executemany):
            if statement.startswith("SELECT"):
                said.append((statement, parameters))

        event.listen(Engine, "before_cursor_execute", listen)
        try:
            work()
        finally:
            event.remove(Engine, "before_cursor_execute", listen)
        with contextlib.closing(sqlite3.connect(tmp_path / "reprise.sqlite3")) as connection:
            return [
                [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
                for statement, parameters in said
            ]

    return of


def is_fast(plan):
    """Nothing is sorted, and no table is read through but in the order of an index."""
    return not any("TEMP B-TREE" in step or (step.startswith("SCAN") and "USING" not in step) for step in plan)


@pytest.mark.parametrize("after", [None, "key", "null"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("sort, key", [("imported_at", 5), ("title", "t"), ("year", 2000), ("paper_id", "p")])
def test_papers(sqlite_site, plans, sort, key, descending, after):
    place = {None: None, "key": (key, "p"), "null": (None, "p")}[after]
    found = plans(
        lambda: sqlite_site.papers.page(words=(), sort=sort, descending=descending, after=place, limit=50, usable=True)
    )
    assert found
    assert all(is_fast(plan) for plan in found), found


@pytest.mark.parametrize("after", [None, (5, "run_x")])
@pytest.mark.parametrize(
    "filters", [{}, {"paper_id": "p"}, {"statuses": ["failed"]}, {"stage": "judge"}, {"with_private": False}]
)
def test_runs(sqlite_site, plans, filters, after):
    asked = {"paper_id": None, "statuses": (), "stage": None} | filters
    found = plans(lambda: sqlite_site.runs.page(**asked, after=after, limit=50))
    assert is_fast(found[0]), found[0]


def test_everything_else_that_is_read_often(sqlite_site, samples, plans):
    run = samples.launched(sqlite_site)
    reads = [
        lambda: sqlite_site.runs.get(run.run_id),
        lambda: sqlite_site.runs.cancel_requested(run.run_id),
        lambda: sqlite_site.runs.pending(10),
        lambda: sqlite_site.runs.lost(samples.now),
        lambda: sqlite_site.runs.evidence(run.run_id, (7,), 10),
        lambda: sqlite_site.runs.assessments(run.run_id),
        lambda: sqlite_site.runs.results(run.run_id),
        lambda: sqlite_site.log.read(run.run_id, 7, 10),
        lambda: sqlite_site.log.tail(run.run_id, 10),
        lambda: sqlite_site.rubrics.newest(run.repository_id),
        lambda: sqlite_site.submissions.page(run.repository_id, (7, "sub_x"), 10),
        lambda: sqlite_site.keys.find("0" * 64),
        lambda: sqlite_site.papers.delete(samples.stored_paper(sqlite_site)[0].paper_id, samples.audit()),
    ]
    for read in reads:
        for plan in plans(read):
            assert is_fast(plan), plan
