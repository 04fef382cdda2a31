"""`reprise score`."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from runner.cli.score import score


def leaf(name: str, weight: float = 1, category: str = "Result Analysis", **more: Any) -> dict[str, Any]:
    required = {"id": name, "requirements": f"{name} holds.", "weight": weight, "sub_tasks": []}
    return {**required, "task_category": category, **more}


def node(name: str, children: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"id": name, "requirements": f"All of {name}.", "weight": 1, "sub_tasks": children, **more}


TREE = node("r", [leaf("a", 1), leaf("b", 3), leaf("c", 0, "Code Development")])
Score = Callable[..., Result]


@pytest.fixture
def run(tmp_path: pathlib.Path) -> Score:
    def call(rubric: Any, grades: Any, *flags: str) -> Result:
        files = []
        for name, content in (("rubric.json", rubric), ("grades.json", grades)):
            file = tmp_path / name
            file.write_text(content if isinstance(content, str) else json.dumps(content))
            files.append(str(file))
        return CliRunner().invoke(score, [*files, *flags])

    return call


def test_json_holds_every_figure(run: Score) -> None:
    out = json.loads(run(TREE, {"a": 1, "c": 0}, "--json").stdout)
    sha256, warnings = out.pop("rubric_sha256"), out.pop("warnings")
    assert len(sha256) == 64
    assert [warning["code"] for warning in warnings] == ["zero_weight"]
    assert out.pop("categories")["Result Analysis"] == {"total": 2, "met": 1, "not_met": 0, "not_judged": 1, "score": 1}
    assert out == {
        "ors_score": None,
        "raw_score": 1,
        "coverage": 0.25,
        "score_bounds": {"low": 0.25, "high": 1},
        "leaves_total": 3,
        "leaves_met": 1,
        "leaves_not_met": 1,
        "leaves_not_judged": 1,
        "valid": False,
        "code_only": False,
    }


def test_without_json_people_can_read_it(run: Score) -> None:
    result = run(TREE, {"a": 1, "b": 0, "c": 1})
    assert result.exit_code == 0
    assert "score      25.00 %" in result.stdout
    assert "criteria   3: 2 met, 1 not met, 0 not judged" in result.stdout
    assert "score      none" in run(TREE, {}).stdout


def test_an_envelope_and_a_graded_tree_are_rubrics(run: Score) -> None:
    graded = node("r", [leaf("a", score=1, valid_score=True), leaf("b", score=0, valid_score=True)], score=0.5)
    assert json.loads(run(graded, graded, "--json").stdout)["ors_score"] == 0.5
    assert json.loads(run({"reprise": 1, "rubric": TREE}, {"a": 1, "b": 1}, "--json").stdout)["ors_score"] == 1


def test_views_are_graded(run: Score) -> None:
    data = leaf("d", finegrained_task_category="Dataset and Model Acquisition")
    tree = node("r", [node("x", [leaf("a", 1, "Code Development"), data]), leaf("b")])
    assert json.loads(run(tree, {"a": 1, "b": 0}, "--json", "--code-only").stdout)["ors_score"] == 1
    assert json.loads(run(tree, {"a": 1, "b": 0}, "--json", "--resources-provided").stdout)["ors_score"] == 0.5
    assert json.loads(run(tree, {"x": 0.5, "b": 1}, "--json", "--max-depth", "2").stdout)["ors_score"] == 0.75


@pytest.mark.parametrize(
    "rubric,grades,named",
    [
        (TREE, {"nope": 1}, "nope"),
        (TREE, "{", "not JSON"),
        (TREE, '{"a": NaN}', "NaN"),
        (TREE, '{"a": 1, "a": 0}', "twice"),
        (node("r", [leaf("bad-leaf", -1)]), {}, "bad-leaf"),
        ("nonsense", {}, "rubric.json"),
    ],
)
def test_a_wrong_input_is_status_two_and_one_line(run: Score, rubric: Any, grades: Any, named: str) -> None:
    result = run(rubric, grades, "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert named in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_nothing_left_to_grade_is_status_two(run: Score) -> None:
    result = run(node("r", [leaf("a")]), {}, "--code-only")
    assert (result.exit_code, "No criterion is left" in result.stderr) == (2, True)


def test_a_missing_file_is_status_two(tmp_path: pathlib.Path) -> None:
    result = CliRunner().invoke(score, [str(tmp_path / "none.json"), str(tmp_path / "none.json")])
    assert (result.exit_code, "none.json: No such file" in result.stderr) == (2, True)


def test_an_invalid_rubric_names_ten_faults_and_counts_the_rest(run: Score) -> None:
    result = run(node("r", [leaf(f"leaf-{n}", -1) for n in range(12)]), {})
    assert "leaf-9" in result.stderr
    assert "and 2 more" in result.stderr
