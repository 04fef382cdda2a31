"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

NAME = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
COUNTER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
IMMUTABLE = {"assessments": "assessment_id", "audit": "number"}


def upgrade() -> None:
    create_registry()
    create_runs()
    create_house()
    for table, key in IMMUTABLE.items():
        if op.get_bind().dialect.name == "sqlite":
            refuse_changes_sqlite(table, key)
        else:
            refuse_changes_postgresql(table)


def create_registry() -> None:
    op.create_table(
        "papers",
        sa.Column("paper_id", NAME, nullable=False),
        sa.Column("repository_id", NAME, nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("title_key", NAME, nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("venue", sa.Text()),
        sa.Column("year", sa.Integer()),
        sa.Column("source_type", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("artifact_url", sa.Text()),
        sa.Column("license", sa.Text(), nullable=False),
        sa.Column("license_scope", sa.Text(), nullable=False),
        sa.Column("license_usable", sa.Boolean(), nullable=False),
        sa.Column("license_source", sa.Text()),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("visibility", sa.Text(), nullable=False),
        sa.Column("owner", NAME, nullable=False),
        sa.Column("slug", NAME, nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("imported_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("pdf_key", NAME),
        sa.Column("pdf_sha256", sa.Text()),
        sa.Column("pdf_size_bytes", sa.BigInteger()),
        sa.Column("ad_pdf_key", NAME),
        sa.Column("ad_pdf_sha256", sa.Text()),
        sa.Column("ad_pdf_size_bytes", sa.BigInteger()),
        sa.Column("ae_pdf_key", NAME),
        sa.Column("ae_pdf_sha256", sa.Text()),
        sa.Column("ae_pdf_size_bytes", sa.BigInteger()),
        sa.Column("pdf_has_text", sa.Boolean(), nullable=False),
        sa.Column("search_text", sa.Text(), nullable=False),
        sa.CheckConstraint("source_type IN ('arxiv', 'doi', 'upload', 'local')", name="source_type"),
        sa.CheckConstraint("visibility IN ('public', 'private')", name="visibility"),
        sa.PrimaryKeyConstraint("paper_id", name="pk_papers"),
        sa.UniqueConstraint("owner", "slug", name="uq_papers_owner_slug"),
        sa.UniqueConstraint("repository_id", name="uq_papers_repository_id"),
    )
    op.create_index("ix_papers_ad_pdf_key", "papers", ["ad_pdf_key"])
    op.create_index("ix_papers_ae_pdf_key", "papers", ["ae_pdf_key"])
    op.create_index("ix_papers_imported_at_down", "papers", [sa.literal_column("imported_at DESC"), "paper_id"])
    op.create_index("ix_papers_imported_at_up", "papers", ["imported_at", "paper_id"])
    op.create_index("ix_papers_pdf_key", "papers", ["pdf_key"])
    op.create_index("ix_papers_title_key_down", "papers", [sa.literal_column("title_key DESC"), "paper_id"])
    op.create_index("ix_papers_title_key_up", "papers", ["title_key", "paper_id"])
    op.create_index("ix_papers_year_down", "papers", [sa.literal_column("year DESC"), "paper_id"])
    op.create_index("ix_papers_year_up", "papers", ["year", "paper_id"])
    op.create_table(
        "uploads",
        sa.Column("upload_id", NAME, nullable=False),
        sa.Column("filename", sa.Text(), nullable=False),
        sa.Column("file_key", NAME, nullable=False),
        sa.Column("file_sha256", sa.Text(), nullable=False),
        sa.Column("file_size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("upload_id", name="pk_uploads"),
    )
    op.create_index("ix_uploads_file_key", "uploads", ["file_key"])
    op.create_index("ix_uploads_expires_at", "uploads", ["expires_at"])
    op.create_table(
        "rubrics",
        sa.Column("rubric_id", NAME, nullable=False),
        sa.Column("repository_id", NAME, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("leaves_count", sa.Integer(), nullable=False),
        sa.Column("categories", sa.JSON(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("tree", sa.JSON(), nullable=False),
        sa.Column("envelope", sa.JSON(), nullable=False),
        sa.Column("flags", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("origin IN ('given', 'generated', 'rollout')", name="origin"),
        sa.PrimaryKeyConstraint("rubric_id", name="pk_rubrics"),
        sa.UniqueConstraint("repository_id", "version", name="uq_rubrics_repository_id_version"),
    )
    op.create_table(
        "submissions",
        sa.Column("submission_id", NAME, nullable=False),
        sa.Column("repository_id", NAME, nullable=False),
        sa.Column("file_key", NAME, nullable=False),
        sa.Column("file_sha256", sa.Text(), nullable=False),
        sa.Column("file_size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("files", sa.JSON(), nullable=False),
        sa.Column("files_total", sa.Integer(), nullable=False),
        sa.Column("has_script", sa.Boolean(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("warnings", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("origin IN ('given', 'generated', 'rollout')", name="origin"),
        sa.PrimaryKeyConstraint("submission_id", name="pk_submissions"),
        sa.UniqueConstraint("repository_id", "file_sha256", name="uq_submissions_repository_id_file_sha256"),
    )
    op.create_index("ix_submissions_file_key", "submissions", ["file_key"])
    op.create_index(
        "ix_submissions_repository_id_created_at_submission_id",
        "submissions",
        ["repository_id", "created_at", "submission_id"],
    )


def create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("run_id", NAME, nullable=False),
        sa.Column("paper_id", NAME, nullable=False),
        sa.Column("repository_id", NAME, nullable=False),
        sa.Column("paper", sa.JSON(), nullable=False),
        sa.Column("paper_visibility", sa.Text(), nullable=False),
        sa.Column("rubric_id", NAME, nullable=False),
        sa.Column("submission_id", NAME),
        sa.Column("configs", sa.JSON(), nullable=False),
        sa.Column("skipped", sa.JSON(), nullable=False),
        sa.Column("code_only", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("execution_state", sa.Text(), nullable=False),
        sa.Column("current_stage", sa.Text()),
        sa.Column("created_by", sa.Text()),
        sa.Column("rerun_of", NAME),
        sa.Column("started_at", sa.BigInteger()),
        sa.Column("finished_at", sa.BigInteger()),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("progress", sa.Double(), nullable=False),
        sa.Column("degraded", sa.Boolean(), nullable=False),
        sa.Column("diagnostic", sa.JSON()),
        sa.Column("score", sa.Double()),
        sa.Column("coverage", sa.Double()),
        sa.Column("cost_llm_usd", sa.Double()),
        sa.Column("cost_known", sa.Boolean(), nullable=False),
        sa.Column("cost_tokens_in", sa.BigInteger(), nullable=False),
        sa.Column("cost_tokens_out", sa.BigInteger(), nullable=False),
        sa.Column("log_length", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("current_stage IN ('rubric', 'rollout', 'reproduce', 'judge')", name="current_stage"),
        sa.CheckConstraint(
            "execution_state IN ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'canceled')",
            name="execution_state",
        ),
        sa.CheckConstraint("paper_visibility IN ('public', 'private')", name="paper_visibility"),
        sa.CheckConstraint("status IN ('queued', 'running', 'completed', 'failed', 'cancelled')", name="status"),
        sa.ForeignKeyConstraint(["rubric_id"], ["rubrics.rubric_id"], name="fk_runs_rubric_id"),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.submission_id"], name="fk_runs_submission_id"),
        sa.PrimaryKeyConstraint("run_id", name="pk_runs"),
    )
    op.create_index("ix_runs_created_at_run_id", "runs", ["created_at", "run_id"])
    op.create_index("ix_runs_current_stage_created_at_run_id", "runs", ["current_stage", "created_at", "run_id"])
    op.create_index("ix_runs_paper_id_created_at_run_id", "runs", ["paper_id", "created_at", "run_id"])
    op.create_index("ix_runs_repository_id_created_at_run_id", "runs", ["repository_id", "created_at", "run_id"])
    op.create_index("ix_runs_rubric_id", "runs", ["rubric_id"])
    op.create_index("ix_runs_status_created_at_run_id", "runs", ["status", "created_at", "run_id"])
    op.create_index("ix_runs_submission_id", "runs", ["submission_id"])
    op.create_table(
        "attempts",
        sa.Column("run_id", NAME, nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("worker_id", NAME),
        sa.Column("heartbeat_at", sa.BigInteger()),
        sa.Column("started_at", sa.BigInteger()),
        sa.Column("finished_at", sa.BigInteger()),
        sa.Column("diagnostic", sa.JSON()),
        sa.Column("outcome", sa.JSON()),
        sa.CheckConstraint("cause IN ('first', 'automatic', 'asked')", name="cause"),
        sa.CheckConstraint("stage IN ('rubric', 'rollout', 'reproduce', 'judge')", name="stage"),
        sa.CheckConstraint(
            "state IN ('pending', 'running', 'succeeded', 'failed', 'skipped', 'cancelled')", name="state"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_attempts_run_id"),
        sa.PrimaryKeyConstraint("run_id", "stage", "number", name="pk_attempts"),
        sa.UniqueConstraint("run_id", "position", name="uq_attempts_run_id_position"),
    )
    op.create_index("ix_attempts_state_created_at_run_id", "attempts", ["state", "created_at", "run_id"])
    op.create_index("ix_attempts_state_heartbeat_at", "attempts", ["state", "heartbeat_at"])
    op.create_table(
        "log_lines",
        sa.Column("run_id", NAME, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("ts", sa.BigInteger(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("msg", sa.Text(), nullable=False),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.CheckConstraint("level IN ('debug', 'info', 'success', 'warning', 'error')", name="level"),
        sa.CheckConstraint("stage IN ('rubric', 'rollout', 'reproduce', 'judge', 'run')", name="stage"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_log_lines_run_id"),
        sa.PrimaryKeyConstraint("run_id", "seq", name="pk_log_lines"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "results",
        sa.Column("run_id", NAME, nullable=False),
        sa.Column("results", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_results_run_id"),
        sa.PrimaryKeyConstraint("run_id", name="pk_results"),
    )
    op.create_table(
        "evidence",
        sa.Column("evidence_id", NAME, nullable=False),
        sa.Column("run_id", NAME, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("key", NAME, nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_evidence_run_id"),
        sa.PrimaryKeyConstraint("evidence_id", name="pk_evidence"),
        sa.UniqueConstraint("run_id", "position", name="uq_evidence_run_id_position"),
    )
    op.create_index("ix_evidence_key", "evidence", ["key"])
    op.create_table(
        "assessments",
        sa.Column("assessment_id", NAME, nullable=False),
        sa.Column("run_id", NAME, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("conclusion", sa.Text(), nullable=False),
        sa.Column("assessor_kind", sa.Text(), nullable=False),
        sa.Column("assessor_name", sa.Text()),
        sa.Column("rationale", sa.Text()),
        sa.Column("rubric_sha256", sa.Text(), nullable=False),
        sa.Column("score", sa.Double()),
        sa.Column("coverage", sa.Double()),
        sa.Column("code_only", sa.Boolean(), nullable=False),
        sa.Column("degraded", sa.Boolean(), nullable=False),
        sa.Column("evidence_ids", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("assessor_kind IN ('deterministic', 'llm', 'mixed', 'human')", name="assessor_kind"),
        sa.CheckConstraint(
            "conclusion IN ('supports', 'challenges', 'contradicts', 'insufficient')", name="conclusion"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name="fk_assessments_run_id"),
        sa.PrimaryKeyConstraint("assessment_id", name="pk_assessments"),
        sa.UniqueConstraint("run_id", "position", name="uq_assessments_run_id_position"),
    )


def create_house() -> None:
    op.create_table(
        "audit",
        sa.Column("number", COUNTER, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.Text()),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_audit"),
    )
    op.create_table(
        "idempotency",
        sa.Column("key", NAME, nullable=False),
        sa.Column("body_sha256", sa.Text(), nullable=False),
        sa.Column("answer", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_idempotency"),
    )
    op.create_table(
        "keys",
        sa.Column("key_id", NAME, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("secret_sha256", NAME, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("key_id", name="pk_keys"),
        sa.UniqueConstraint("secret_sha256", name="uq_keys_secret_sha256"),
    )
    op.create_table(
        "workers",
        sa.Column("worker_id", NAME, nullable=False),
        sa.Column("beat_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("worker_id", name="pk_workers"),
    )
    op.create_index("ix_workers_beat_at", "workers", ["beat_at"])
    op.create_table(
        "leases",
        sa.Column("name", NAME, nullable=False),
        sa.Column("holder", NAME, nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_leases"),
    )


def refuse_changes_sqlite(table: str, key: str) -> None:
    """The last trigger is for INSERT OR REPLACE, which removes the old row without firing the one for DELETE."""
    refuse = f"SELECT RAISE(ABORT, 'rows of {table} are never changed')"
    op.execute(f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} BEGIN {refuse}; END")
    op.execute(f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} BEGIN {refuse}; END")
    exists = f"EXISTS (SELECT 1 FROM {table} WHERE {key} = NEW.{key})"
    op.execute(f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {exists} BEGIN {refuse}; END")


def refuse_changes_postgresql(table: str) -> None:
    op.execute(
        f"CREATE FUNCTION refuse_{table}_change() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION 'rows of {table} are never changed'; END $$"
    )
    refuse = f"EXECUTE FUNCTION refuse_{table}_change()"
    op.execute(f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW {refuse}")
    op.execute(f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table} {refuse}")
