"""What physically happened before judging, as far as verdicts depend on it."""

from __future__ import annotations

from enum import StrEnum


class Execution(StrEnum):
    SUCCEEDED = "succeeded"
    """reproduce.sh ended with exit code 0."""

    ENDED = "ended"
    """It ended otherwise: another exit code, a signal, the time limit. What it left is judged."""

    ENVIRONMENT_FAILED = "environment_failed"
    """The installation cannot work, so reproduce.sh was not started."""

    NOT_RUN = "not_run"
    """A code-only run has no reproduce stage."""

    PAPER_ONLY = "paper_only"
    """A `paper_audit` run judges the paper's own description and executes nothing."""

    @property
    def had_outcome(self) -> bool:
        """Whether reproduce.sh ran to an end, so that what is absent is really missing."""
        return self in (Execution.SUCCEEDED, Execution.ENDED)
