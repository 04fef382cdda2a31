"""The tables. Migrations make them (infra/migrations); a test keeps the two equal."""

from __future__ import annotations

from runner.adapters.sql.schema.house import audit, idempotency, keys, leases, workers
from runner.adapters.sql.schema.metadata import metadata
from runner.adapters.sql.schema.registry import papers, rubrics, submissions, uploads
from runner.adapters.sql.schema.runs import assessments, attempts, evidence, log_lines, results, runs

__all__ = [
    "assessments",
    "attempts",
    "audit",
    "evidence",
    "idempotency",
    "keys",
    "leases",
    "log_lines",
    "metadata",
    "papers",
    "results",
    "rubrics",
    "runs",
    "submissions",
    "uploads",
    "workers",
]
