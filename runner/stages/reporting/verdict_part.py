"""The one line that says how the run ended, and what qualifies it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from runner.stages.reporting import stored
from runner.stages.reporting.quantities import Percent, Phrase, percent
from runner.stages.reporting.stored import JsonObject


@dataclass(frozen=True, slots=True)
class Verdict:
    """`score` is the run's score, over the judged share when coverage is below 100 %; `bounds` stand beside it then.

    `low` and `high` are fractions, for drawing.
    """

    line: Phrase
    score: Percent | None
    coverage: Percent | None
    bounds: tuple[Percent, Percent] | None
    low: Decimal
    high: Decimal
    has_score: bool
    labels: tuple[str, ...]


def read(run: JsonObject, results: JsonObject | None) -> Verdict:
    score, coverage = stored.number(results, "ors_score"), stored.number(results, "coverage")
    whole = score is not None
    score = stored.number(results, "raw_score") if score is None else score
    limits = stored.child(results, "score_bounds")
    low, high = stored.number(limits, "low"), stored.number(limits, "high")
    bounds = None if whole or low is None or high is None else (_percent(low), _percent(high))
    labels = _labels(run, results)
    return Verdict(
        line=_line(run, results, percent(score), percent(coverage), bounds, labels),
        score=percent(score),
        coverage=percent(coverage),
        bounds=bounds,
        low=_within(low if low is not None else score),
        high=_within(high if high is not None else score),
        has_score=results is not None and score is not None,
        labels=labels,
    )


def reason(run: JsonObject, results: JsonObject | None) -> Phrase:
    """Why the run is degraded, or failed: what physically happened, else the diagnostic's own sentence."""
    facts = stored.child(results, "reproduce")
    if stored.flag(facts, "timed_out"):
        return Phrase("reason.timed_out")
    if stored.text(facts, "signal"):
        return Phrase("reason.signal", {"signal": stored.text(facts, "signal")})
    if stored.count(facts, "exit_code"):
        return Phrase("reason.exit_code", {"code": stored.count(facts, "exit_code")})
    summary = stored.text(stored.child(run, "diagnostic"), "summary") or stored.text(run, "error")
    return Phrase("reason.told", {"text": summary}) if summary else Phrase("not_recorded")


def _line(
    run: JsonObject,
    results: JsonObject | None,
    score: Percent | None,
    coverage: Percent | None,
    bounds: tuple[Percent, Percent] | None,
    labels: tuple[str, ...],
) -> Phrase:
    if results is None:
        status = stored.text(run, "status")
        ended = status if status in ("failed", "cancelled") else "unfinished"
        return Phrase(f"verdict.{ended}", {"reason": reason(run, results)})
    if score is None:
        line = Phrase("verdict.nothing_judged")
    elif bounds is None:
        line = Phrase("verdict.scored", {"score": score, "coverage": coverage})
    else:
        line = Phrase("verdict.bounded", {"score": score, "coverage": coverage, "low": bounds[0], "high": bounds[1]})
    if "degraded" in labels:
        line = Phrase("verdict.degraded", {"line": line, "reason": reason(run, results)})
    return Phrase("verdict.code_only", {"line": line}) if "code_only" in labels else line


def _labels(run: JsonObject, results: JsonObject | None) -> tuple[str, ...]:
    found = {
        "degraded": stored.flag(results, "degraded") or stored.flag(run, "degraded"),
        "code_only": stored.flag(results, "code_only"),
        "rubric_unreliable": stored.child(results, "negative_control").get("passed") is False,
    }
    return tuple(label for label, holds in found.items() if holds)


def _percent(fraction: Decimal) -> Percent:
    found = percent(fraction)
    assert found is not None
    return found


def _within(fraction: Decimal | None) -> Decimal:
    return min(max(fraction or Decimal(0), Decimal(0)), Decimal(1))
