"""A run as the API shows it (paperbench-api.md 6)."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from runner.domain.configs import shown
from runner.domain.run import STAGES, Assessment, Attempt, Diagnostic, Evidence, Run, StageName
from runner.domain.times import utc_text


def status(run: Run) -> dict[str, Any]:
    """The answer of GET /run/{job_id}, under 8 kB."""
    return {
        **summary(run),
        "stages": [_stage(run, name) for name in STAGES],
        "configs": shown(run.configs),
    }


def summary(run: Run) -> dict[str, Any]:
    """The status without configs and stages, as lists show it."""
    failed = run.status == "failed" and run.diagnostic
    return {
        "job_id": run.run_id,
        "paper_id": run.paper_id,
        "status": run.status,
        "execution_state": run.execution_state,
        "current_stage": current_stage(run),
        "progress": run.progress,
        "created_by": run.created_by,
        "rerun_of": run.rerun_of,
        "created_at": timestamp(run.created_at),
        "started_at": timestamp(run.started_at),
        "finished_at": timestamp(run.finished_at),
        "degraded": run.degraded,
        "error": run.diagnostic.summary if failed and run.diagnostic else None,
        "diagnostic": diagnostic(run.diagnostic),
        "cost": asdict(run.cost),
        "score": run.score,
        "coverage": run.coverage,
    }


def artifact(item: Evidence, url: str) -> dict[str, Any]:
    """One row of GET /run/{job_id}/artifacts."""
    return {
        "name": item.name,
        "kind": item.kind,
        "size_bytes": item.size_bytes,
        "sha256": item.sha256,
        "content_type": item.content_type,
        "url": url,
        "evidence_id": item.evidence_id,
        "created_at": timestamp(item.created_at),
    }


def assessment(value: Assessment) -> dict[str, Any]:
    """One judgement of a claim, as results list it."""
    return {
        "assessment_id": value.assessment_id,
        "conclusion": value.conclusion,
        "assessor": {"kind": value.assessor_kind, "name": value.assessor_name},
        "rationale": value.rationale,
        "created_at": timestamp(value.created_at),
    }


def current_stage(run: Run) -> StageName | None:
    """The stage that waits or works; None once the run has ended."""
    if run.is_final:
        return None
    return next((a.stage for a in reversed(run.attempts) if a.state in ("pending", "running")), None)


def diagnostic(value: Diagnostic | None) -> dict[str, Any] | None:
    return asdict(value) if value else None


def timestamp(moment: datetime | None) -> str | None:
    return None if moment is None else utc_text(moment)


def _stage(run: Run, name: StageName) -> dict[str, Any]:
    newest = run.newest(name)
    if newest is None:
        state = "skipped" if name in run.skipped else "cancelled" if run.status == "cancelled" else "pending"
        return _stage_row(name, state, 0)
    return _stage_row(name, newest.state, newest.number, newest)


def _stage_row(name: StageName, state: str, number: int, attempt: Attempt | None = None) -> dict[str, Any]:
    return {
        "name": name,
        "state": state,
        "attempt": number,
        "started_at": timestamp(attempt.started_at) if attempt else None,
        "finished_at": timestamp(attempt.finished_at) if attempt else None,
        "queue_wait_sec": None,
        "diagnostic": diagnostic(attempt.diagnostic) if attempt else None,
    }
