"""The results document."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from runner.domain import claims, judgement, results, rubric, scoring
from runner.domain.checks import CommandOutcome
from runner.domain.executed_tree import MemoryTree
from runner.domain.execution import Execution
from runner.domain.results import Judgement


def no_command(argv: tuple[str, ...], timeout_s: int) -> CommandOutcome:
    raise AssertionError("only command checks run commands")


def judged(data: dict[str, Any], tree: MemoryTree) -> Judgement:
    root = rubric.load(data)
    found = judgement.find(rubric.leaves(root), tree, Execution.SUCCEEDED, no_command)
    card = scoring.score(root, {pointer: each.score for pointer, each in found.verdicts.items()})
    outcomes = claims.conclude_all(root, root, found.verdicts, found.measured, Execution.SUCCEEDED, False)
    return Judgement(root, False, found.verdicts, found.measured, card, tuple(outcomes))


def document(data: dict[str, Any], tree: MemoryTree, **assessments: Any) -> dict[str, Any]:
    built = results.build(
        judged(data, tree),
        job_id="run_1",
        paper_id="p",
        degraded=False,
        cost={"llm_usd": 0},
        reproduce={"exit_code": 0},
        evidence_ids={"measurements.json": "ev_1"},
        assessments=assessments,
    )
    return json.loads(json.dumps(built, allow_nan=False))  # type: ignore[no-any-return]


@pytest.fixture
def two_claims(build: Any) -> dict[str, Any]:
    """Weights 3 and 1; with m1 and m3 inside and m2 outside tolerance the score is (3 * 0.5 + 1) / 4."""
    one = build.node(
        "part-one",
        [build.measured_leaf("m1", 90.0, 0.5), build.measured_leaf("m2", 10, 1)],
        3,
        claim=build.claim("one"),
    )
    two = build.node("part-two", [build.measured_leaf("m3", 0.25, {"relative": 0.2}, 2)], 1, claim=build.claim("two"))
    tree: dict[str, Any] = build.node("root", [one, two])
    return tree


def observed(**values: Any) -> MemoryTree:
    entries = [{"measurementId": name, "value": value} for name, value in values.items()]
    return MemoryTree({"measurements.json": json.dumps({"measurements": entries}).encode()})


def test_the_document_agrees_with_itself(two_claims: dict[str, Any]) -> None:
    found = document(two_claims, observed(m1=90.2, m2=15, m3=0.26))
    assert (found["ors_score"], found["raw_score"], found["coverage"]) == (0.625, 0.625, 1)
    assert found["score_bounds"] == {"low": 0.625, "high": 0.625}
    assert [leaf["status"] for leaf in found["leaves"]] == ["met", "not_met", "met"]
    assert [leaf["passed"] for leaf in found["leaves"]] == [True, False, True]
    assert [leaf["share"] for leaf in found["leaves"]] == [0.375, 0.375, 0.25]
    assert found["categories"]["Result Analysis"] == {
        "total": 3,
        "met": 2,
        "not_met": 1,
        "not_judged": 0,
        "score": 0.625,
    }
    assert found["categories"]["Code Development"]["score"] is None
    assert (found["rubric"]["score"], found["rubric"]["valid"]) == (0.625, True)
    assert [(node["score"], node["weight"]) for node in found["rubric"]["sub_tasks"]] == [(0.5, 3), (1, 1)]
    assert found["negative_control"] is None


def test_a_leaf_has_every_key_of_the_contract(two_claims: dict[str, Any]) -> None:
    leaf = document(two_claims, observed(m1=90.2))["leaves"][0]
    assert leaf == {
        "id": "m1",
        "pointer": "/sub_tasks/0/sub_tasks/0",
        "path": ["root", "part-one"],
        "requirements": "m1 holds.",
        "weight": 1,
        "share": 0.375,
        "task_category": "Result Analysis",
        "finegrained_task_category": None,
        "status": "met",
        "passed": True,
        "score": 1,
        "runs": [],
        "explanation": "90.2 is within 0.5 of 90.0.",
        "reason": None,
        "evidence": [{"path": "measurements.json", "line": None, "evidence_id": "ev_1"}],
        "judge": {"kind": "check", "model": None},
    }


def test_a_measurement_has_every_key_of_the_contract(two_claims: dict[str, Any]) -> None:
    first, second, third = document(two_claims, observed(m1=90, m2="NaN", m3=0.26))["measurements"]
    assert first == {
        "measurement_id": "m1",
        "claim_id": "one",
        "metric": "accuracy",
        "unit": "points",
        "dimensions": {"dataset": "synthetic"},
        "reported_value": 90.0,
        "observed_value": 90,
        "tolerance": 0.5,
        "verification": "verified",
        "evidence_ids": ["ev_1"],
    }
    assert (second["observed_value"], second["verification"], second["evidence_ids"]) == (None, "unverified", [])
    assert (third["tolerance"], third["claim_id"]) == ({"relative": 0.2}, "two")


def test_a_claim_shows_its_conclusion_and_the_assessments_it_is_given(two_claims: dict[str, Any]) -> None:
    mine = {"assessment_id": "as_1", "conclusion": "contradicts"}
    one, two = document(two_claims, observed(m1=90.2, m2=15, m3=0.26), one=[mine])["claims"]
    assert (one["conclusion"], one["score"], one["coverage"]) == ("contradicts", 0.5, 1)
    assert (one["measurement_ids"], one["assessments"]) == (["m1", "m2"], [mine])
    assert (two["conclusion"], two["assessments"]) == ("supports", [])


def test_what_was_not_judged_has_no_score(build: Any) -> None:
    found = document(build.node("r", [build.leaf("a"), build.measured_leaf("m", 1, 0)]), observed(m=1))
    assert (found["ors_score"], found["raw_score"], found["coverage"]) == (None, 1, 0.5)
    assert found["score_bounds"] == {"low": 0.5, "high": 1}
    leaf = found["leaves"][0]
    assert (leaf["status"], leaf["passed"], leaf["score"]) == ("not_judged", None, None)
    assert (found["rubric"]["valid"], found["rubric"]["score"]) == (False, 1)
    assert found["claims"][0]["conclusion"] is None


def test_a_category_is_scored_as_if_the_rubric_held_nothing_else(build: Any) -> None:
    code = "Code Development"
    left = build.node("x", [build.leaf("a", 1, code), build.leaf("b", 9)])
    view = rubric.load(build.node("r", [left, build.leaf("c", 1, code)]))
    found = results.categories(
        view, {"/sub_tasks/0/sub_tasks/0": 1, "/sub_tasks/1": 0, "/sub_tasks/0/sub_tasks/1": None}
    )
    assert found[code] == {"total": 2, "met": 1, "not_met": 1, "not_judged": 0, "score": 0.5}
    assert found["Result Analysis"] == {"total": 1, "met": 0, "not_met": 0, "not_judged": 1, "score": None}


def test_a_score_from_a_half_on_is_met() -> None:
    assert results.counts({"a": Fraction(1, 2), "b": Fraction(1, 3), "c": None}) == {
        "met": 1,
        "not_met": 1,
        "not_judged": 1,
    }
