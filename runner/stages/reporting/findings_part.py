"""Section 9: rules that look at the finished run, each with a code, a sentence of its own and an advice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from runner.stages.reporting import stored
from runner.stages.reporting.measurement_part import Measurement
from runner.stages.reporting.paper_part import Paper
from runner.stages.reporting.quantities import Phrase, Shown, percent
from runner.stages.reporting.reproduction_part import Reproduction
from runner.stages.reporting.stored import JsonObject

LOW_COVERAGE = Decimal("0.8")
_NETWORK_TROUBLE = re.compile(
    "temporary failure in name resolution|network is unreachable|could not resolve host|name or service not known",
    re.IGNORECASE,
)


class _Add(Protocol):
    def __call__(self, code: str, /, **values: Shown) -> None: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` names the rule; its sentence is `finding.<code>`, its advice `finding.<code>.advice`."""

    code: str
    sentence: Phrase
    advice: Phrase


def find(
    run: JsonObject,
    results: JsonObject | None,
    paper: Paper,
    reproduction: Reproduction,
    measurements: Sequence[Measurement],
) -> tuple[Finding, ...]:
    """Findings in a fixed order: what broke, what is missing, what disagrees, what limits the use."""
    found: list[Finding] = []

    def add(code: str, /, **values: Shown) -> None:
        found.append(Finding(code, Phrase(f"finding.{code}", values), Phrase(f"finding.{code}.advice", values)))

    if results is None:
        _add_ending(run, add)
    _add_script(reproduction, add)
    _add_files(results, reproduction, add)
    _add_judgement(results, measurements, add)
    if paper.is_usable is False:
        add("license_not_usable", license=paper.license)
    elif paper.is_redistributable is False:
        add("license_not_redistributable", license=paper.license)
    return tuple(found)


def _add_ending(run: JsonObject, add: _Add) -> None:
    diagnostic = stored.child(run, "diagnostic")
    if stored.text(run, "status") == "cancelled":
        add("run_cancelled")
    elif stored.text(diagnostic, "summary"):
        add("run_failed", summary=stored.text(diagnostic, "summary"), action=stored.text(diagnostic, "recovery_action"))


def _add_script(reproduction: Reproduction, add: _Add) -> None:
    if reproduction.timed_out:
        add("timed_out", elapsed=reproduction.elapsed)
    elif reproduction.signal:
        add("killed", signal=reproduction.signal)
    elif reproduction.exit_code:
        add("exit_code", code=reproduction.exit_code)
    if reproduction.network == "off" and any(map(_NETWORK_TROUBLE.search, reproduction.log)):
        add("network_denied")
    if reproduction.network == "unrestricted":
        add("no_isolation", sandbox=reproduction.sandbox)


def _add_files(results: JsonObject | None, reproduction: Reproduction, add: _Add) -> None:
    if reproduction.missing:
        add("missing_artifacts", n=len(reproduction.missing))
    if results is not None and reproduction.exit_code == 0 and not reproduction.produced:
        add("nothing_produced")
    if reproduction.omitted:
        add("omitted_files", n=len(reproduction.omitted))


def _add_judgement(results: JsonObject | None, measurements: Sequence[Measurement], add: _Add) -> None:
    for verification, code in (("mismatched", "mismatch"), ("review_required", "review_required")):
        number = sum(each.verification == verification for each in measurements)
        if number:
            add(code, n=number, total=len(measurements))
    coverage = stored.number(results, "coverage")
    if coverage is not None and coverage < LOW_COVERAGE:
        add("low_coverage", coverage=percent(coverage))
    if stored.child(results, "negative_control").get("passed") is False:
        add("rubric_unreliable")
    if stored.flag(results, "rubric_outdated"):
        add("rubric_outdated")
