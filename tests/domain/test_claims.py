"""Claims and what one run concludes about them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, get_args

import pytest

from runner.domain import claims, numbers, pruning, rubric, verdict
from runner.domain.claims import ClaimOutcome
from runner.domain.execution import Execution
from runner.domain.measurement import Measured, Verification
from runner.domain.verdict import Evidence, Judge, Verdict

CODE, EXEC, RESULT = rubric.CATEGORIES
MET, MISSED, OPEN = verdict.met("Yes."), verdict.not_met("No."), verdict.not_judged("Unknown.", "x")


def conclude(
    build: Any,
    data: Any,
    verdicts: dict[str, Verdict],
    verifications: dict[str, Verification] | None = None,
    execution: Execution = Execution.SUCCEEDED,
    code_only: bool = False,
) -> list[ClaimOutcome]:
    """Verdicts and verifications by leaf id."""
    root = build.tree(data)
    view = pruning.view(root, code_only=code_only)
    leaves = rubric.leaves(view)
    found = {leaf.pointer: verdicts.get(leaf.id, OPEN) for leaf in leaves}
    measured = [
        Measured(
            leaf.pointer, leaf.measurement, (verifications or {}).get(leaf.id, "unverified"), "Said.", numbers.read("1")
        )
        for leaf in leaves
        if leaf.measurement is not None
    ]
    return claims.conclude_all(root, view, found, measured, execution, code_only)


def one(build: Any, leaves: list[Any], verdicts: dict[str, Verdict], **more: Any) -> ClaimOutcome:
    kind = more.pop("kind", "empirical")
    (outcome,) = conclude(build, build.node("r", leaves, claim=build.claim("c", kind)), verdicts, **more)
    return outcome


def test_stated_claims_are_the_claims(build: Any) -> None:
    inner = build.node("x", [build.leaf("a", claim=build.claim("c-1", "artifact"))])
    found = claims.claims_of(build.tree(build.node("r", [inner, build.leaf("b")])))
    assert [(c.id, c.text, c.kind, c.pointer) for c in found] == [
        ("c-1", "c-1 is true.", "artifact", "/sub_tasks/0/sub_tasks/0")
    ]


def test_without_stated_claims_the_roots_children_are_the_claims(build: Any) -> None:
    root = build.tree(build.node("r", [build.leaf("Part One"), build.leaf("part/one"), build.leaf("x")]))
    found = [(c.id, c.text, c.kind) for c in claims.claims_of(root)]
    assert found == [
        ("part-one", "Part One holds.", None),
        ("part-one-2", "part/one holds.", None),
        ("x", "x holds.", None),
    ]


def test_the_root_is_the_claim_of_a_single_leaf(build: Any) -> None:
    assert [(c.id, c.pointer) for c in claims.claims_of(build.tree(build.leaf("Only")))] == [("only", "")]


@pytest.mark.parametrize(
    "verdicts,conclusion",
    [
        ({"a": MET, "b": MET}, "supports"),
        ({"a": MET, "b": MISSED}, "insufficient"),
        ({"a": MISSED, "b": MISSED}, "challenges"),
        ({"a": MET}, "supports"),
        ({"a": MISSED}, "challenges"),
        ({}, None),
    ],
)
def test_conclusions_without_measurements(build: Any, verdicts: Any, conclusion: str | None) -> None:
    assert one(build, [build.leaf("a"), build.leaf("b")], verdicts).conclusion == conclusion


def test_less_than_half_judged_is_insufficient_whatever_it_says(build: Any) -> None:
    leaves = [build.leaf("a", 1), build.leaf("b", 1.01)]
    assert one(build, leaves, {"a": MET}).conclusion == one(build, leaves, {"a": MISSED}).conclusion == "insufficient"


@pytest.mark.parametrize("score,conclusion", [(Fraction(4, 5), "supports"), (Fraction(79, 100), "insufficient")])
def test_four_fifths_support(build: Any, score: Fraction, conclusion: str) -> None:
    assert one(build, [build.leaf("a")], {"a": Verdict("met", score, "Mostly.")}).conclusion == conclusion


def test_only_missed_results_challenge(build: Any) -> None:
    leaves = [build.leaf("a", category=CODE), build.leaf("b", category=EXEC)]
    assert one(build, leaves, {"a": MISSED, "b": MISSED}).conclusion == "insufficient"


@pytest.mark.parametrize(
    "verification,execution,conclusion",
    [
        ("verified", Execution.SUCCEEDED, "supports"),
        ("mismatched", Execution.SUCCEEDED, "contradicts"),
        ("unverified", Execution.SUCCEEDED, "insufficient"),
        ("review_required", Execution.SUCCEEDED, "insufficient"),
        *(
            (each, execution, "insufficient")
            for each in get_args(Verification)
            for execution in ("ended", "environment_failed")
        ),
    ],
)
def test_conclusions_with_a_measurement(build: Any, verification: Any, execution: Any, conclusion: str) -> None:
    leaves = [build.measured_leaf("m", 1, 0), build.leaf("a", 9)]
    outcome = one(
        build, leaves, {"m": MET, "a": MET}, verifications={"m": verification}, execution=Execution(execution)
    )
    assert outcome.conclusion == conclusion
    assert outcome.measurement_ids == ("m",)


def test_a_mismatch_contradicts_even_when_little_was_judged(build: Any) -> None:
    leaves = [build.measured_leaf("m", 1, 0), build.leaf("a", 9)]
    assert one(build, leaves, {"m": MISSED}, verifications={"m": "mismatched"}).conclusion == "contradicts"


@pytest.mark.parametrize("kind,conclusion", [("artifact", "supports"), ("empirical", "insufficient")])
def test_a_code_only_run_can_speak_about_artifacts_alone(build: Any, kind: str, conclusion: str) -> None:
    leaves = [build.leaf("a", category=CODE), build.measured_leaf("m", 1, 0)]
    outcome = one(build, leaves, {"a": MET}, kind=kind, execution=Execution.NOT_RUN, code_only=True)
    assert (outcome.conclusion, outcome.coverage, outcome.measurement_ids) == (conclusion, 1, ())


def test_a_paper_audit_needs_no_execution(build: Any) -> None:
    assert one(build, [build.leaf("a")], {"a": MET}, execution=Execution.PAPER_ONLY).conclusion == "supports"


def test_a_claim_whose_leaves_the_view_leaves_out_has_no_conclusion(build: Any) -> None:
    data = build.node("r", [build.leaf("a", category=CODE), build.leaf("b")])
    kept, gone = conclude(build, data, {"a": MET}, execution=Execution.NOT_RUN, code_only=True)
    assert (kept.conclusion, gone.conclusion, gone.score, gone.coverage) == ("insufficient", None, None, 0)


def test_score_and_coverage_are_local_to_the_claim(build: Any) -> None:
    first = build.node("x", [build.leaf("a"), build.leaf("b", 3)], 5)
    left, right = conclude(build, build.node("r", [first, build.leaf("c")]), {"a": MET, "c": MISSED})
    assert (left.score, left.coverage) == (1, Fraction(1, 4))
    assert (right.score, right.coverage) == (0, 1)


@pytest.mark.parametrize(
    "judges,kind,model",
    [
        ([Judge(), Judge()], "deterministic", None),
        ([Judge("llm", "m"), Judge("llm", "m")], "llm", "m"),
        ([Judge(), Judge("llm", "m")], "mixed", "m"),
    ],
)
def test_the_assessor_is_who_judged(build: Any, judges: list[Judge], kind: str, model: str | None) -> None:
    given = {name: Verdict("met", 1, "Yes.", judge=judge) for name, judge in zip("ab", judges, strict=True)}
    outcome = one(build, [build.leaf("a"), build.leaf("b")], given)
    assert (outcome.assessor_kind, outcome.assessor_model) == (kind, model)


def test_the_rationale_tells_figures_and_the_evidence_is_named_once(build: Any) -> None:
    given = {name: verdict.met("Yes.", Evidence("out.csv", line)) for name, line in (("a", 1), ("m", 2))}
    outcome = one(build, [build.leaf("a"), build.measured_leaf("m", 1, 0)], given, verifications={"m": "mismatched"})
    assert outcome.rationale == "2 of 2 criteria judged (coverage 1), score 1. m: Said."
    assert outcome.evidence_paths == ("out.csv",)
