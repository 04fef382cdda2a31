"""Runs and their attempts as rows, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from runner.adapters.sql import schema
from runner.domain.run import Attempt, Diagnostic, Run, RunCost
from runner.domain.run_view import current_stage

_COST = {
    "cost_llm_usd": "llm_usd",
    "cost_known": "cost_known",
    "cost_tokens_in": "tokens_in",
    "cost_tokens_out": "tokens_out",
}
_FIXED = (
    "run_id", "paper_id", "repository_id", "paper", "rubric_id", "submission_id", "configs", "skipped", "code_only",
    "created_at", "created_by", "rerun_of",
)  # fmt: skip
_CHANGING = (
    "status", "execution_state", "started_at", "finished_at", "cancel_requested", "progress", "degraded", "score",
    "coverage",
)  # fmt: skip
_ATTEMPT = tuple(name for name in Attempt.__dataclass_fields__ if name != "diagnostic")


def new_row(run: Run) -> dict[str, Any]:
    """The paper's visibility falls back to `private`: what is not known is not shown."""
    visibility = run.paper.get("visibility", "private")
    fixed = {name: getattr(run, name) for name in _FIXED}
    return fixed | changing(run) | {"paper_visibility": visibility, "log_length": 0}


def changing(run: Run) -> dict[str, Any]:
    """The columns that a step may change."""
    row = {name: getattr(run, name) for name in _CHANGING}
    row |= {column: getattr(run.cost, field) for column, field in _COST.items()}
    return row | {"current_stage": current_stage(run), "diagnostic": _diagnostic_row(run.diagnostic)}


def attempt_row(attempt: Attempt, position: int) -> dict[str, Any]:
    row = {name: getattr(attempt, name) for name in _ATTEMPT}
    return row | {"position": position, "diagnostic": _diagnostic_row(attempt.diagnostic)}


def attempt_of(row: RowMapping) -> Attempt:
    return Attempt(**{name: row[name] for name in _ATTEMPT}, diagnostic=_diagnostic(row["diagnostic"]))


def with_attempts(connection: Connection, rows: Sequence[RowMapping]) -> tuple[Run, ...]:
    """The runs of these rows, in their order."""
    attempts = schema.attempts.c
    run_ids = [row["run_id"] for row in rows]
    found: dict[str, list[Attempt]] = {run_id: [] for run_id in run_ids}
    statement = select(schema.attempts).where(attempts.run_id.in_(run_ids)).order_by(attempts.run_id, attempts.position)
    for row in connection.execute(statement).mappings():
        found[row["run_id"]].append(attempt_of(row))
    return tuple(_run(row, found[row["run_id"]]) for row in rows)


def _run(row: RowMapping, attempts: Iterable[Attempt]) -> Run:
    plain = {name: row[name] for name in (*_FIXED, *_CHANGING)} | {"skipped": tuple(row["skipped"])}
    cost = RunCost(**{field: row[column] for column, field in _COST.items()})
    return Run(**plain, diagnostic=_diagnostic(row["diagnostic"]), cost=cost, attempts=tuple(attempts))


def _diagnostic_row(diagnostic: Diagnostic | None) -> dict[str, Any] | None:
    return asdict(diagnostic) if diagnostic else None


def _diagnostic(row: dict[str, Any] | None) -> Diagnostic | None:
    return Diagnostic(**row) if row else None
