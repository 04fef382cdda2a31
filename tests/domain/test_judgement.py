"""Verdicts that need no model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runner.domain import judgement, rubric
from runner.domain.checks import CommandOutcome
from runner.domain.executed_tree import MemoryTree
from runner.domain.execution import Execution
from runner.domain.judgement import Findings

CODE, EXEC, RESULT = rubric.CATEGORIES


def no_command(argv: tuple[str, ...], timeout_s: int) -> CommandOutcome:
    raise AssertionError("only command checks run commands")


def find(build: Any, leaves: list[Any], tree: MemoryTree, execution: Execution = Execution.SUCCEEDED) -> Findings:
    root = build.tree(build.node("r", leaves))
    return judgement.find(rubric.leaves(root), tree, execution, no_command)


def outcomes(found: Findings) -> list[tuple[str, str | None]]:
    return [(each.status, each.reason) for _, each in sorted(found.verdicts.items())]


def measurements(**values: Any) -> MemoryTree:
    entries = [{"measurementId": name, "value": value} for name, value in values.items()]
    return MemoryTree({"measurements.json": json.dumps({"measurements": entries}).encode()})


def test_a_measurement_decides_its_leaf(build: Any) -> None:
    leaves = [build.measured_leaf(name, 90.0, 0.5) for name in ("in", "off", "none", "odd")]
    found = find(build, leaves, measurements(**{"in": 90.2, "off": 95, "odd": "x"}))
    assert outcomes(found) == [
        ("met", None),
        ("not_met", "out_of_tolerance"),
        ("not_met", "value_unreadable"),
        ("not_met", "value_not_finite"),
    ]
    assert [each.verification for each in found.measured] == ["verified", "mismatched", "unverified", "unverified"]
    met = found.verdicts["/sub_tasks/0"]
    assert met.explanation == "90.2 is within 0.5 of 90.0."
    assert [(item.path, item.line) for item in met.evidence] == [("measurements.json", None)]


def test_an_ambiguous_value_is_for_a_person(build: Any) -> None:
    entries = [{"measurementId": "m", "value": 5}, {"measurementId": "m", "value": 6}]
    tree = MemoryTree({"measurements.json": json.dumps({"measurements": entries}).encode()})
    found = find(build, [build.measured_leaf("m", 5, 1)], tree)
    assert outcomes(found) == [("not_judged", "review_required")]
    assert found.measured[0].observed_json is None


def test_a_leaf_without_a_rule_is_not_judged_and_says_so(build: Any) -> None:
    found = find(build, [build.leaf("a"), build.leaf("b", category=CODE)], MemoryTree({"x": b"1"}))
    assert outcomes(found) == [("not_judged", "no_deterministic_check")] * 2
    assert "no judge model was used" in found.verdicts["/sub_tasks/0"].explanation


@pytest.mark.parametrize("execution", [Execution.SUCCEEDED, Execution.ENDED])
def test_results_of_a_run_that_made_nothing_are_not_met(build: Any, execution: Execution) -> None:
    leaves = [build.leaf("a"), build.leaf("b", category=EXEC), build.leaf("c", category=CODE)]
    found = find(build, leaves, MemoryTree(kept={"reproduce.sh": b"true"}), execution)
    assert outcomes(found) == [("not_met", "nothing_produced")] + [("not_judged", "no_deterministic_check")] * 2
    assert found.verdicts["/sub_tasks/0"].judge.kind == "check"


@pytest.mark.parametrize("execution", [Execution.NOT_RUN, Execution.PAPER_ONLY])
def test_without_a_run_nothing_produced_is_no_fact(build: Any, execution: Execution) -> None:
    assert outcomes(find(build, [build.leaf("a")], MemoryTree(), execution)) == [
        ("not_judged", "no_deterministic_check")
    ]


def test_a_failed_installation_leaves_execution_and_results_not_judged(build: Any) -> None:
    kept = {"kind": "artifact", "path": "main.py", "produced": False}
    leaves = [
        build.leaf("code", category=CODE, check=kept),
        build.leaf("run", category=EXEC, check=kept),
        build.measured_leaf("m", 1, 0),
        build.leaf("free"),
        build.measured_leaf("n", 1, 0, category=CODE),
    ]
    found = find(build, leaves, MemoryTree(kept={"main.py": b"x"}), Execution.ENVIRONMENT_FAILED)
    assert outcomes(found) == [("met", None)] + [("not_judged", "environment_failed")] * 4
    assert [(each.measurement.id, each.verification) for each in found.measured] == [
        ("m", "unverified"),
        ("n", "unverified"),
    ]


def test_a_value_that_is_absent_without_a_run_is_not_judged(build: Any) -> None:
    found = find(build, [build.measured_leaf("m", 1, 0)], MemoryTree(), Execution.NOT_RUN)
    assert outcomes(found) == [("not_judged", "not_executed")]
