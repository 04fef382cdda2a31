"""How an attempt ends when our side broke, or when somebody stopped it."""

from __future__ import annotations

from typing import Any

from runner.domain.diagnostics import diagnose
from runner.domain.run import MAX_AUTOMATIC_ATTEMPTS, Ending, Evidence
from runner.ports import Claimed


def broke(claimed: Claimed, code: str, **facts: object) -> Ending:
    """Our side broke: at most two further attempts, then the run is failed. Nothing is judged (reproduction.md 2, 7)."""
    diagnostic = diagnose(code, **facts)
    again = diagnostic.retryable and claimed.run.automatic_attempts(claimed.attempt.stage) < MAX_AUTOMATIC_ATTEMPTS
    return Ending(
        state="failed",
        outcome={"code": code},
        diagnostic=diagnostic,
        again=again,
        run_status=None if again else "failed",
        execution_state=None if again else "failed",
        messages=(("error", diagnostic.summary),),
    )


def stopped(outcome: dict[str, Any] | None = None, evidence: tuple[Evidence, ...] = ()) -> Ending:
    """A person cancelled the run; what there was until then is kept."""
    return Ending(
        state="cancelled",
        outcome=outcome or {},
        run_status="cancelled",
        execution_state="canceled",
        evidence=evidence,
        messages=(("warning", "cancelled on request"),),
    )
