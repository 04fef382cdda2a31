"""The judge stage without a model, end to end on a tree in memory."""

from __future__ import annotations

from typing import Any

import pytest

from runner.domain.checks import CommandOutcome
from runner.domain.errors import Invalid
from runner.domain.executed_tree import MemoryTree
from runner.domain.execution import Execution
from runner.stages.judge import ViewFlags, judge

CODE, EXEC, RESULT = "Code Development", "Code Execution", "Result Analysis"


def leaf(name: str, category: str, **rule: Any) -> dict[str, Any]:
    required = {"id": name, "requirements": f"{name} holds.", "weight": 1, "sub_tasks": []}
    return {**required, "task_category": category, **rule}


def measured(name: str, reported: float, tolerance: Any, **extract: Any) -> dict[str, Any]:
    rule = {
        "measurementId": name,
        "metric": "accuracy",
        "unit": None,
        "reportedValue": reported,
        "tolerance": tolerance,
    }
    return leaf(name, RESULT, measurement=rule, **({"extract": extract} if extract else {}))


RUBRIC = {
    "id": "r",
    "requirements": "All of it.",
    "weight": 1,
    "sub_tasks": [
        measured("a", 92.5, 0.2),
        measured("b", 92.5, 0.1),
        measured("c", 0.71, {"relative": 0.05}, file="out/t.csv", column="f1", where={"model": "big"}),
        measured("d", 12, 0, file="reproduce.log", regex=r"steps=(?P<value>\d+)"),
        measured("e", 3, 0, file="out/r.json", json_pointer="/a/1/b~1c"),
        leaf("f", EXEC, check={"kind": "artifact", "path": "out/*.csv"}),
        leaf("g", EXEC, check={"kind": "artifact", "path": "README.md"}),
        leaf("h", EXEC, check={"kind": "regex", "file": "reproduce.log", "pattern": "^steps=", "min_matches": 2}),
        leaf("i", CODE, check={"kind": "command", "run": ["python3", "-m", "compileall", "."], "timeout_sec": 30}),
    ],
}
TREE = MemoryTree(
    produced={
        "measurements.json": b'{"measurements": [{"measurementId": "a", "value": 92.3}, '
        b'{"measurementId": "b", "value": 92.3}]}',
        "out/t.csv": b"model,f1\nsmall,0.1\nbig,0.70\n",
        "out/r.json": b'{"a": [0, {"b/c": 3}]}',
    },
    kept={"README.md": b"old"},
    log=b"steps=9\nsteps=12\n",
)


def test_rules_need_no_model_and_are_exact() -> None:
    commands = []

    def run_command(argv: tuple[str, ...], timeout_s: int) -> CommandOutcome:
        commands.append((argv, timeout_s))
        return CommandOutcome(0)

    found = judge(RUBRIC, ViewFlags(), TREE, Execution.SUCCEEDED, run_command)
    assert [found.verdicts[f"/sub_tasks/{n}"].score for n in range(9)] == [1, 0, 1, 1, 1, 1, 0, 1, 1]
    observed = {each.measurement.id: (each.observed_json, each.verification) for each in found.measured}
    assert observed["a"] == (92.3, "verified")
    assert observed["b"] == (92.3, "mismatched")
    assert observed["d"] == (12, "verified")
    assert commands == [(("python3", "-m", "compileall", "."), 30)]
    assert found.scorecard.root.final is not None


def test_a_code_only_view_judges_code_alone_and_keeps_every_claim() -> None:
    found = judge(RUBRIC, ViewFlags(code_only=True), TREE, Execution.NOT_RUN, lambda argv, timeout_s: CommandOutcome(0))
    assert list(found.verdicts) == ["/sub_tasks/8"]
    assert (found.scorecard.root.final, found.code_only, found.measured) == (1, True, ())
    assert [(each.claim.id, each.conclusion) for each in found.claims if each.conclusion] == [("i", "insufficient")]
    assert len(found.claims) == 9


def test_nothing_left_to_grade_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        judge(
            leaf("x", RESULT),
            ViewFlags(code_only=True),
            TREE,
            Execution.NOT_RUN,
            lambda argv, timeout_s: CommandOutcome(0),
        )
    assert refused.value.code == "rubric_nothing_to_grade"
