"""Submissions in SQL."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, RowMapping, insert, select, tuple_

from runner.adapters import paging
from runner.adapters.sql import audit as trail
from runner.adapters.sql import files, owners, schema
from runner.adapters.sql.engine import Database
from runner.domain.access import AuditRow
from runner.domain.errors import NotFound
from runner.domain.ids import is_id
from runner.domain.instants import to_micros
from runner.domain.papers import Submission, SubmissionFile
from runner.ports import Page

_SUBMISSIONS = schema.submissions.c
_PLACE = (_SUBMISSIONS.created_at, _SUBMISSIONS.submission_id)
_PLAIN = tuple(name for name in Submission.__dataclass_fields__ if name not in ("file", "files"))


class SqlSubmissions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, submission: Submission, audit: AuditRow) -> tuple[Submission, bool]:
        with self._database.writing() as connection:
            owners.hold(connection, submission.repository_id)
            known = _equal(connection, submission)
            if known is not None:
                return known, False
            connection.execute(insert(schema.submissions).values(_to_row(submission)))
            trail.write(connection, [audit])
            return submission, True

    def get(self, submission_id: str) -> Submission:
        statement = select(schema.submissions).where(_SUBMISSIONS.submission_id == submission_id)
        with self._database.reading() as connection:
            row = connection.execute(statement).mappings().one_or_none() if is_id(submission_id, "sub") else None
        if row is None:
            raise NotFound("There is no such submission.", "submission_not_found")
        return _from_row(row)

    def newest(self, repository_id: str) -> Submission:
        page = self.page(repository_id, None, 1)
        if not page.items:
            raise NotFound("The paper has no submission.", "submission_not_found")
        return page.items[0]

    def page(self, repository_id: str, after: tuple[Any, ...] | None, limit: int) -> Page[Submission]:
        statement = select(schema.submissions).where(_SUBMISSIONS.repository_id == repository_id)
        if after is not None:
            statement = statement.where(tuple_(*_PLACE) < after)
        statement = statement.order_by(*(column.desc() for column in _PLACE)).limit(limit + 1)
        with self._database.reading() as connection:
            rows = connection.execute(statement).mappings().all()
        return paging.cut([_from_row(row) for row in rows], limit, _place)


def _place(submission: Submission) -> tuple[int, str]:
    return to_micros(submission.created_at), submission.submission_id


def _equal(connection: Connection, submission: Submission) -> Submission | None:
    """The one of the same bytes and repository."""
    statement = select(schema.submissions).where(
        _SUBMISSIONS.repository_id == submission.repository_id, _SUBMISSIONS.file_sha256 == submission.file.sha256
    )
    row = connection.execute(statement).mappings().one_or_none()
    return _from_row(row) if row else None


def _to_row(submission: Submission) -> dict[str, Any]:
    row = {name: getattr(submission, name) for name in _PLAIN} | files.columns("file", submission.file)
    return row | {"files": [asdict(file) for file in submission.files]}


def _from_row(row: RowMapping) -> Submission:
    plain = {name: row[name] for name in _PLAIN} | {"warnings": tuple(row["warnings"])}
    listed = tuple(SubmissionFile(**each) for each in row["files"])
    return Submission(**plain, file=files.of_row(row, "file"), files=listed)
