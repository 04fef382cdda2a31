"""What was decided about one criterion, by whom, why, and on what evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from runner.domain.numbers import Exact

Status = Literal["met", "not_met", "not_judged"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A file of the run; `line` counts from 1."""

    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Judge:
    kind: Literal["check", "llm"] = "check"
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """`score` is None exactly when `status` is not_judged; then `reason` is the code of what kept it from that."""

    status: Status
    score: Exact | None
    explanation: str
    reason: str | None = None
    evidence: tuple[Evidence, ...] = ()
    judge: Judge = Judge()
    runs: tuple[Mapping[str, Any], ...] = ()


def met(explanation: str, *evidence: Evidence) -> Verdict:
    return Verdict("met", 1, explanation, None, evidence)


def not_met(explanation: str, reason: str | None = None, *evidence: Evidence) -> Verdict:
    return Verdict("not_met", 0, explanation, reason, evidence)


def not_judged(explanation: str, reason: str, *evidence: Evidence) -> Verdict:
    return Verdict("not_judged", None, explanation, reason, evidence)
