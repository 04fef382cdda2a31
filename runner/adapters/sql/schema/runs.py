"""Runs, their attempts and logs, and what they found out."""

from __future__ import annotations

from typing import get_args

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)

from runner.adapters.sql.columns import Instant, Json, Name, one_of
from runner.adapters.sql.schema.metadata import metadata
from runner.adapters.sql.schema.registry import rubrics, submissions
from runner.domain.papers import Visibility
from runner.domain.run import RUN_STATUSES, STAGES, AttemptCause, ExecutionState, Level, LogStage, StageState

runs = Table(
    "runs",
    metadata,
    Column("run_id", Name, primary_key=True),
    Column("paper_id", Name, nullable=False),
    Column("repository_id", Name, nullable=False),
    Column("paper", Json, nullable=False),
    Column("paper_visibility", Text, nullable=False),
    Column("rubric_id", Name, ForeignKey(rubrics.c.rubric_id), nullable=False, index=True),
    Column("submission_id", Name, ForeignKey(submissions.c.submission_id), index=True),
    Column("configs", Json, nullable=False),
    Column("skipped", Json, nullable=False),
    Column("code_only", Boolean, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("status", Text, nullable=False),
    Column("execution_state", Text, nullable=False),
    Column("current_stage", Text),
    Column("created_by", Text),
    Column("rerun_of", Name),
    Column("started_at", Instant),
    Column("finished_at", Instant),
    Column("cancel_requested", Boolean, nullable=False),
    Column("progress", Double, nullable=False),
    Column("degraded", Boolean, nullable=False),
    Column("diagnostic", Json),
    Column("score", Double),
    Column("coverage", Double),
    Column("cost_llm_usd", Double),
    Column("cost_known", Boolean, nullable=False),
    Column("cost_tokens_in", BigInteger, nullable=False),
    Column("cost_tokens_out", BigInteger, nullable=False),
    Column("log_length", BigInteger, nullable=False),
    Index(None, "created_at", "run_id"),
    Index(None, "paper_id", "created_at", "run_id"),
    Index(None, "repository_id", "created_at", "run_id"),
    Index(None, "status", "created_at", "run_id"),
    Index(None, "current_stage", "created_at", "run_id"),
    one_of("status", RUN_STATUSES),
    one_of("execution_state", get_args(ExecutionState)),
    one_of("current_stage", STAGES),
    one_of("paper_visibility", get_args(Visibility)),
)

attempts = Table(
    "attempts",
    metadata,
    Column("run_id", Name, ForeignKey(runs.c.run_id), nullable=False),
    Column("stage", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("cause", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("worker_id", Name),
    Column("heartbeat_at", Instant),
    Column("started_at", Instant),
    Column("finished_at", Instant),
    Column("diagnostic", Json),
    Column("outcome", Json),
    PrimaryKeyConstraint("run_id", "stage", "number"),
    UniqueConstraint("run_id", "position"),
    Index(None, "state", "created_at", "run_id"),
    Index(None, "state", "heartbeat_at"),
    one_of("stage", STAGES),
    one_of("state", get_args(StageState)),
    one_of("cause", get_args(AttemptCause)),
)

log_lines = Table(
    "log_lines",
    metadata,
    Column("run_id", Name, ForeignKey(runs.c.run_id), nullable=False),
    Column("seq", BigInteger, nullable=False),
    Column("ts", Instant, nullable=False),
    Column("level", Text, nullable=False),
    Column("stage", Text, nullable=False),
    Column("msg", Text, nullable=False),
    Column("done", Boolean, nullable=False),
    PrimaryKeyConstraint("run_id", "seq"),
    one_of("level", get_args(Level)),
    one_of("stage", get_args(LogStage)),
    sqlite_with_rowid=False,
)

results = Table(
    "results",
    metadata,
    Column("run_id", Name, ForeignKey(runs.c.run_id), primary_key=True),
    Column("results", Json, nullable=False),
)

evidence = Table(
    "evidence",
    metadata,
    Column("evidence_id", Name, primary_key=True),
    Column("run_id", Name, ForeignKey(runs.c.run_id), nullable=False),
    Column("position", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("key", Name, nullable=False, index=True),
    Column("sha256", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("content_type", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("run_id", "position"),
)

assessments = Table(
    "assessments",
    metadata,
    Column("assessment_id", Name, primary_key=True),
    Column("run_id", Name, ForeignKey(runs.c.run_id), nullable=False),
    Column("position", Integer, nullable=False),
    Column("claim_id", Text, nullable=False),
    Column("conclusion", Text, nullable=False),
    Column("assessor_kind", Text, nullable=False),
    Column("assessor_name", Text),
    Column("rationale", Text),
    Column("rubric_sha256", Text, nullable=False),
    Column("score", Double),
    Column("coverage", Double),
    Column("code_only", Boolean, nullable=False),
    Column("degraded", Boolean, nullable=False),
    Column("evidence_ids", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("run_id", "position"),
    one_of("conclusion", ("supports", "challenges", "contradicts", "insufficient")),
    one_of("assessor_kind", ("deterministic", "llm", "mixed", "human")),
)
