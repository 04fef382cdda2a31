"""Rubric versions in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, Connection, insert, select, update

from runner.adapters.sql import audit as trail
from runner.adapters.sql import owners, schema
from runner.adapters.sql.engine import Database
from runner.domain.access import AuditRow
from runner.domain.errors import Conflict, NotFound
from runner.domain.ids import is_id
from runner.domain.papers import RubricVersion

_RUBRICS = schema.rubrics.c
_FIELDS = tuple(RubricVersion.__dataclass_fields__)


class SqlRubrics:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, rubric: RubricVersion, if_version: int | None, audit: AuditRow) -> tuple[RubricVersion, str]:
        with self._database.writing() as connection:
            owners.hold(connection, rubric.repository_id)
            newest = _newest(connection, rubric.repository_id)
            present = newest.version if newest else 0
            if if_version not in (None, present):
                raise Conflict(f"The newest version is {present}.", "version_conflict", version=present)
            stored, what = _stored(connection, rubric, newest)
            if what != "same":
                trail.write(connection, [audit])
            return stored, what

    def newest(self, repository_id: str) -> RubricVersion:
        with self._database.reading() as connection:
            return _found(_newest(connection, repository_id))

    def version(self, repository_id: str, version: int) -> RubricVersion:
        with self._database.reading() as connection:
            return _found(_one(connection, [_RUBRICS.repository_id == repository_id, _RUBRICS.version == version]))

    def get(self, rubric_id: str) -> RubricVersion:
        with self._database.reading() as connection:
            return _found(_one(connection, [_RUBRICS.rubric_id == rubric_id]) if is_id(rubric_id, "rub") else None)


def _stored(connection: Connection, rubric: RubricVersion, newest: RubricVersion | None) -> tuple[RubricVersion, str]:
    if newest is None or (newest.sha256, newest.envelope) != (rubric.sha256, rubric.envelope):
        version = replace(rubric, version=newest.version + 1 if newest else 1)
        connection.execute(insert(schema.rubrics).values({name: getattr(version, name) for name in _FIELDS}))
        return version, "created"
    if newest.flags == rubric.flags:
        return newest, "same"
    statement = update(schema.rubrics).where(_RUBRICS.rubric_id == newest.rubric_id)
    connection.execute(statement.values(flags=rubric.flags))
    return replace(newest, flags=rubric.flags), "flags"


def _newest(connection: Connection, repository_id: str) -> RubricVersion | None:
    statement = select(schema.rubrics).where(_RUBRICS.repository_id == repository_id)
    row = connection.execute(statement.order_by(_RUBRICS.version.desc()).limit(1)).mappings().one_or_none()
    return RubricVersion(**row) if row else None


def _one(connection: Connection, conditions: Sequence[ColumnElement[bool]]) -> RubricVersion | None:
    row = connection.execute(select(schema.rubrics).where(*conditions)).mappings().one_or_none()
    return RubricVersion(**row) if row else None


def _found(rubric: RubricVersion | None) -> RubricVersion:
    if rubric is None:
        raise NotFound("There is no such rubric.", "rubric_not_found")
    return rubric
