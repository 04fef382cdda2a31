"""Looking at runs: one, pages, waiting and lost attempts, and what was found out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, func, select, tuple_

from runner.adapters import paging
from runner.adapters.sql import run_rows, schema
from runner.adapters.sql.engine import Database
from runner.domain.errors import NotFound
from runner.domain.ids import is_id
from runner.domain.instants import to_micros
from runner.domain.run import Assessment, Attempt, Evidence, Run, RunStatus, StageName
from runner.ports import Page

_RUNS = schema.runs.c
_ATTEMPTS = schema.attempts.c
_PLACE = (_RUNS.created_at, _RUNS.run_id)


class Reading:
    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, run_id: str) -> Run:
        statement = select(schema.runs).where(_RUNS.run_id == run_id)
        with self._database.reading() as connection:
            rows = connection.execute(statement).mappings().all() if is_id(run_id, "run") else []
            for run in run_rows.with_attempts(connection, rows):
                return run
        raise NotFound("There is no such run.", "run_not_found")

    def page(
        self,
        *,
        paper_id: str | None,
        statuses: Sequence[RunStatus],
        stage: StageName | None,
        after: tuple[Any, ...] | None,
        limit: int,
        with_private: bool = True,
    ) -> Page[Run]:
        statement = select(schema.runs).where(*_wanted(paper_id, statuses, stage))
        if not with_private:
            papers = schema.papers.c
            statement = statement.outerjoin(schema.papers, papers.repository_id == _RUNS.repository_id)
            statement = statement.where(func.coalesce(papers.visibility, _RUNS.paper_visibility) == "public")
        if after is not None:
            statement = statement.where(tuple_(*_PLACE) < after)
        statement = statement.order_by(*(column.desc() for column in _PLACE)).limit(limit + 1)
        with self._database.reading() as connection:
            runs = run_rows.with_attempts(connection, connection.execute(statement).mappings().all())
        return paging.cut(runs, limit, lambda run: (to_micros(run.created_at), run.run_id))

    def pending(self, limit: int) -> tuple[Attempt, ...]:
        statement = select(schema.attempts).where(_ATTEMPTS.state == "pending")
        statement = statement.order_by(_ATTEMPTS.created_at, _ATTEMPTS.run_id).limit(limit)
        with self._database.reading() as connection:
            return tuple(run_rows.attempt_of(row) for row in connection.execute(statement).mappings())

    def lost(self, beat_before: datetime) -> tuple[Attempt, ...]:
        silent = (_ATTEMPTS.state == "running", _ATTEMPTS.heartbeat_at < beat_before)
        statement = select(schema.attempts).where(*silent).order_by(_ATTEMPTS.heartbeat_at)
        with self._database.reading() as connection:
            return tuple(run_rows.attempt_of(row) for row in connection.execute(statement).mappings())

    def results(self, run_id: str) -> dict[str, Any] | None:
        results = schema.results.c
        with self._database.reading() as connection:
            return connection.scalar(select(results.results).where(results.run_id == run_id))

    def evidence(self, run_id: str, after: tuple[Any, ...] | None, limit: int) -> Page[Evidence]:
        evidence = schema.evidence.c
        statement = select(schema.evidence).where(evidence.run_id == run_id)
        if after is not None:
            statement = statement.where(evidence.position > after[0])
        statement = statement.order_by(evidence.position).limit(limit + 1)
        with self._database.reading() as connection:
            rows = connection.execute(statement).mappings().all()
        page = paging.cut(rows, limit, lambda row: (row["position"],))
        return Page(tuple(_evidence(row) for row in page.items), page.next_after)

    def assessments(self, run_id: str) -> tuple[Assessment, ...]:
        assessments = schema.assessments.c
        statement = select(schema.assessments).where(assessments.run_id == run_id).order_by(assessments.position)
        with self._database.reading() as connection:
            return tuple(_assessment(row) for row in connection.execute(statement).mappings())


def _wanted(paper_id: str | None, statuses: Sequence[RunStatus], stage: StageName | None) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if paper_id is not None:
        conditions.append(_RUNS.paper_id == paper_id)
    if statuses:
        conditions.append(_RUNS.status.in_(statuses))
    if stage is not None:
        conditions.append(_RUNS.current_stage == stage)
    return conditions


def _evidence(row: Any) -> Evidence:
    return Evidence(**{name: row[name] for name in Evidence.__dataclass_fields__})


def _assessment(row: Any) -> Assessment:
    values = {name: row[name] for name in Assessment.__dataclass_fields__}
    return Assessment(**values | {"evidence_ids": tuple(row["evidence_ids"])})
