"""Papers in SQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, exists, insert, select, update
from sqlalchemy import delete as delete_from

from runner.adapters import paging, paper_order
from runner.adapters.sql import audit as trail
from runner.adapters.sql import files, paper_pages, paper_rows, schema
from runner.adapters.sql.engine import Database
from runner.domain.access import AuditRow
from runner.domain.errors import Conflict, NotFound
from runner.domain.ids import is_paper_id
from runner.domain.papers import Paper, StoredFile
from runner.domain.run import FINAL, RUN_STATUSES
from runner.ports import Page

_PAPERS = schema.papers.c
_ACTIVE = tuple(status for status in RUN_STATUSES if status not in FINAL)


class SqlPapers:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, paper: Paper, audit: AuditRow) -> Paper:
        def work(connection: Connection) -> Paper:
            _refuse_taken_id(connection, paper)
            _refuse_taken_slug(connection, paper)
            connection.execute(insert(schema.papers).values(paper_rows.to_row(paper)))
            trail.write(connection, [audit])
            return paper

        return self._database.settle(work)

    def get(self, paper_id: str) -> Paper:
        with self._database.reading() as connection:
            return _get(connection, paper_id)

    def change(self, paper_id: str, edit: Callable[[Paper], Paper], audit: AuditRow) -> Paper:
        def work(connection: Connection) -> Paper:
            paper = edit(_get(connection, paper_id, locked=True))
            _refuse_taken_slug(connection, paper)
            row = paper_rows.to_row(paper)
            connection.execute(update(schema.papers).where(_PAPERS.paper_id == paper_id).values(row))
            trail.write(connection, [audit])
            return paper

        return self._database.settle(work)

    def slug_is_taken(self, owner: str, slug: str) -> bool:
        with self._database.reading() as connection:
            return _slug_owner(connection, owner, slug) is not None

    def page(
        self,
        *,
        words: Sequence[str],
        sort: str,
        descending: bool,
        after: tuple[Any, ...] | None,
        limit: int,
        scopes: Sequence[str] = (),
        usable: bool | None = None,
        source_types: Sequence[str] = (),
        with_private: bool = True,
    ) -> Page[Paper]:
        wanted = paper_pages.wanted(words, scopes, usable, source_types, with_private)
        with self._database.reading() as connection:
            rows = paper_pages.read(connection, wanted, paper_pages.Order(sort, descending), after, limit + 1)
        papers = [paper_rows.from_row(row) for row in rows]
        return paging.cut(papers, limit, lambda paper: paper_order.place(sort, paper))

    def delete(self, paper_id: str, audit: AuditRow) -> tuple[StoredFile, ...]:
        with self._database.writing() as connection:
            paper = _get(connection, paper_id, locked=True)
            _refuse_active(connection, paper)
            loose = [file for file in (paper.pdf, paper.ad_pdf, paper.ae_pdf) if file]
            loose += _delete_unused(connection, paper.repository_id)
            connection.execute(delete_from(schema.papers).where(_PAPERS.paper_id == paper_id))
            trail.write(connection, [audit])
            return files.without_owner(connection, loose)


def _get(connection: Connection, paper_id: str, locked: bool = False) -> Paper:
    statement = select(schema.papers).where(_PAPERS.paper_id == paper_id)
    if locked:
        statement = statement.with_for_update()
    row = connection.execute(statement).mappings().one_or_none() if is_paper_id(paper_id) else None
    if row is None:
        raise NotFound("There is no such paper.", "paper_not_found")
    return paper_rows.from_row(row)


def _refuse_taken_id(connection: Connection, paper: Paper) -> None:
    row = connection.execute(select(schema.papers).where(_PAPERS.paper_id == paper.paper_id)).mappings().one_or_none()
    if row is not None:
        existing = paper_rows.from_row(row)
        raise Conflict(f"The paper {paper.paper_id} exists already.", "paper_exists", existing=existing)


def _refuse_taken_slug(connection: Connection, paper: Paper) -> None:
    if _slug_owner(connection, paper.owner, paper.slug) not in (None, paper.paper_id):
        raise Conflict(f"Another paper is called {paper.owner}/{paper.slug}.", "slug_taken")


def _slug_owner(connection: Connection, owner: str, slug: str) -> str | None:
    """The id of the paper that is called so."""
    return connection.scalar(select(_PAPERS.paper_id).where(_PAPERS.owner == owner, _PAPERS.slug == slug))


def _refuse_active(connection: Connection, paper: Paper) -> None:
    runs = schema.runs.c
    statement = select(runs.run_id).where(runs.repository_id == paper.repository_id, runs.status.in_(_ACTIVE))
    active = connection.scalars(statement.order_by(runs.created_at, runs.run_id)).all()
    if active:
        message = f"{len(active)} runs of {paper.paper_id} are queued or running: cancel them first, or use force."
        raise Conflict(message, "paper_has_active_runs", job_ids=list(active))


def _delete_unused(connection: Connection, repository_id: str) -> list[StoredFile]:
    """Rubrics and submissions that no run uses; returns the files of the submissions."""
    rubrics, submissions, runs = schema.rubrics.c, schema.submissions.c, schema.runs.c
    connection.execute(
        delete_from(schema.rubrics).where(
            rubrics.repository_id == repository_id, ~exists().where(runs.rubric_id == rubrics.rubric_id)
        )
    )
    unused = (
        submissions.repository_id == repository_id,
        ~exists().where(runs.submission_id == submissions.submission_id),
    )
    rows = connection.execute(select(schema.submissions).where(*unused)).mappings().all()
    connection.execute(delete_from(schema.submissions).where(*unused))
    return [files.of_row(row, "file") for row in rows]
