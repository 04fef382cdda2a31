"""Steps of a run's life in SQL: the run is held, the step is worked out by the domain, what it changed is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Table, func, insert, select, update

from runner.adapters.sql import log_rows, run_rows, schema
from runner.domain.errors import NotFound
from runner.domain.ids import is_id
from runner.domain.run import Assessment, Attempt, Evidence, Run
from runner.domain.run_life import Step


def hold(connection: Connection, run_id: str) -> Run:
    """The run, which nobody else can change until the transaction ends. Raises NotFound `run_not_found`."""
    statement = select(schema.runs).where(schema.runs.c.run_id == run_id).with_for_update()
    rows = connection.execute(statement).mappings().all() if is_id(run_id, "run") else []
    for run in run_rows.with_attempts(connection, rows):
        return run
    raise NotFound("There is no such run.", "run_not_found")


def store(connection: Connection, before: Run, step: Step) -> None:
    """Writes what `step` changed in the held run `before`."""
    run_id = before.run_id
    statement = update(schema.runs).where(schema.runs.c.run_id == run_id)
    connection.execute(statement.values(run_rows.changing(step.run)))
    _store_attempts(connection, before.attempts, step.run.attempts)
    log_rows.append(connection, run_id, step.lines)
    add_evidence(connection, run_id, step.evidence)
    _add_assessments(connection, run_id, step.assessments)
    if step.results is not None:
        connection.execute(insert(schema.results).values(run_id=run_id, results=step.results))


def add_evidence(connection: Connection, run_id: str, found: Iterable[Evidence]) -> None:
    _add(connection, schema.evidence, run_id, [_values(each) for each in found])


def _add_assessments(connection: Connection, run_id: str, made: Iterable[Assessment]) -> None:
    _add(connection, schema.assessments, run_id, [_values(each) for each in made])


def _store_attempts(connection: Connection, before: tuple[Attempt, ...], after: tuple[Attempt, ...]) -> None:
    """Attempts are changed in their places or added at the end."""
    table = schema.attempts
    for position, attempt in enumerate(after):
        row = run_rows.attempt_row(attempt, position)
        if position >= len(before):
            connection.execute(insert(table).values(row))
        elif attempt != before[position]:
            held = (table.c.run_id == attempt.run_id, table.c.position == position)
            connection.execute(update(table).where(*held).values(row))


def _add(connection: Connection, table: Table, run_id: str, rows: list[dict[str, Any]]) -> None:
    """Adds rows behind those that the run has in this table."""
    if not rows:
        return
    last = connection.scalar(select(func.max(table.c.position)).where(table.c.run_id == run_id))
    start = 0 if last is None else last + 1
    connection.execute(insert(table), [row | {"position": position} for position, row in enumerate(rows, start)])


def _values(value: Evidence | Assessment) -> dict[str, Any]:
    return {name: getattr(value, name) for name in type(value).__dataclass_fields__}
