"""Every diagnostic code of a run: category, whether trying again can help, and what to do (reproduction.md 7)."""

from __future__ import annotations

from dataclasses import dataclass

from runner.domain.run import Diagnostic


@dataclass(frozen=True, slots=True)
class _Kind:
    category: str
    retryable: bool
    summary: str
    recovery_action: str


_KINDS = {
    "reproduce_nonzero_exit": _Kind(
        "submission",
        False,
        "reproduce.sh ended with exit code {exit_code}.",
        "Read the end of the log, then correct the submission.",
    ),
    "reproduce_killed": _Kind(
        "submission",
        False,
        "reproduce.sh was ended by {signal}.",
        "Read the end of the log; the script or its system ended it.",
    ),
    "reproduce_timeout": _Kind(
        "limits",
        False,
        "reproduce.sh was stopped after its time limit of {time_limit_sec} s.",
        "Raise time_limit_sec and run again.",
    ),
    "disk_limit": _Kind(
        "limits",
        False,
        "The script wrote more than the disk limit allows.",
        "Write less, or ask the site to raise the limit.",
    ),
    "sandbox_unavailable": _Kind(
        "configuration",
        False,
        "{reason}",
        "Ask for a sandbox that is available here; reprise run --sandbox auto takes one.",
    ),
    "sandbox_not_allowed": _Kind(
        "configuration",
        False,
        "The sandbox local gives no isolation and is not allowed here.",
        "Set REPRISE_ALLOW_LOCAL_SANDBOX=1, or use an isolating kind.",
    ),
    "sandbox_start_failed": _Kind(
        "infrastructure", True, "The sandbox broke: {reason}", "Retry; if it happens again, look at the host."
    ),
    "worker_lost": _Kind(
        "infrastructure",
        True,
        "The worker of this stage stopped answering.",
        "Retry; if it happens again, look at the worker's host.",
    ),
    "storage_unavailable": _Kind(
        "infrastructure",
        True,
        "The database, the object store or the scratch folder did not answer or is full.",
        "Retry when storage works again.",
    ),
    "submission_corrupt": _Kind(
        "internal",
        False,
        "The stored submission no longer has the digest it was stored under.",
        "Restore the object store, or upload the submission again.",
    ),
    "rubric_tampered": _Kind(
        "internal", False, "The stored rubric no longer has the digest it was stored under.", "Import the rubric again."
    ),
    "internal_error": _Kind(
        "internal",
        True,
        "Reprise itself failed in this stage.",
        "Retry; report it with the run id if it happens again.",
    ),
}


def diagnose(code: str, **facts: object) -> Diagnostic:
    """The diagnostic of `code`, its sentence filled in with `facts`. Raises KeyError for a code that is not in the table."""
    kind = _KINDS[code]
    return Diagnostic(
        code, kind.category, kind.retryable, kind.summary.format(**facts), kind.recovery_action.format(**facts)
    )
