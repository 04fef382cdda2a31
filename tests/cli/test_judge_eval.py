"""`reprise judge-eval`."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from click.testing import CliRunner, Result

from runner.cli.judge_eval import judge_eval
from runner.domain import given_rubric, grades, json_text

RULES: dict[str, Callable[[int, int], int]] = {
    "always-1": lambda index, human: 1,
    "always-0": lambda index, human: 0,
    "copy-human": lambda index, human: human,
    "flip-every-10th": lambda index, human: 1 - human if index % 10 == 0 else human,
    "flip-every-7th-positive-to-0": lambda index, human: 0 if human == 1 and index % 7 == 0 else human,
}


def evaluate(tmp_path: pathlib.Path, predictions: Any, *labels: pathlib.Path, as_json: bool = True) -> Result:
    file = tmp_path / "predictions.json"
    file.write_text(json.dumps(predictions))
    options = ["--predictions", str(file), *(["--json"] if as_json else [])]
    return CliRunner().invoke(judge_eval, [*map(str, labels), *options])


def test_the_published_cases_come_out(shared_data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    folder = shared_data / "paperbench-data" / "judge_eval"
    files = {file.parts[-4]: file for file in sorted(folder.glob("*/0/grading/expected_result.json"))}
    humans = {name: human_grades(file) for name, file in files.items()}
    for case in json.loads((shared_data / "paperbench-data" / "judge_metric_cases.json").read_text())["cases"]:
        names = [case["scope"]] if case["scope"] in files else list(files)
        rule = RULES[case["rule"]]
        predictions = {
            name: {pointer: rule(index, human) for index, (pointer, human) in enumerate(humans[name].items())}
            for name in names
        }
        result = evaluate(tmp_path, predictions, *(files[name] for name in names))
        assert result.exit_code == 0, result.stderr
        out = json.loads(result.stdout)
        found = out["pooled"] if len(names) > 1 else out["examples"][case["scope"]]
        assert {key: found[key] for key in case["expected"]} == pytest.approx(case["expected"], abs=6e-7), case[
            "case_id"
        ]
        assert found["coverage"] == 1
        for category, expected in case.get("by_category", {}).items():
            assert {key: out["by_category"][category][key] for key in expected} == pytest.approx(expected, abs=6e-7)


def human_grades(file: pathlib.Path) -> dict[str, int]:
    body = file.read_bytes()
    root = given_rubric.read(body).root
    return {pointer: int(grade or 0) for pointer, grade in grades.read(json_text.parse(body), root, root).items()}


@pytest.fixture
def labels(tmp_path: pathlib.Path) -> pathlib.Path:
    """Two valid human grades and one that is not valid."""

    def leaf(name: str, score: float, valid: bool = True) -> dict[str, Any]:
        required = {"id": name, "requirements": "x", "weight": 1, "sub_tasks": [], "task_category": "Code Execution"}
        return {**required, "score": score, "valid_score": valid}

    file = tmp_path / "my-example" / "0" / "grading" / "expected_result.json"
    file.parent.mkdir(parents=True)
    tree = {"id": "r", "requirements": "x", "weight": 1, "sub_tasks": [leaf("a", 1), leaf("b", 0), leaf("c", 1, False)]}
    file.write_text(json.dumps(tree))
    return file


def test_an_example_goes_by_its_folder_or_by_its_path(labels: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for name in ("my-example", str(labels)):
        out = json.loads(evaluate(tmp_path, {name: {"a": 1, "/sub_tasks/1": 0, "c": 0}}, labels).stdout)
        assert list(out["examples"]) == ["my-example"]
        assert (out["pooled"]["num_samples"], out["pooled"]["accuracy"]) == (2, 1)


def test_another_file_goes_by_its_path(labels: pathlib.Path, tmp_path: pathlib.Path) -> None:
    copy = tmp_path / "labels.json"
    copy.write_bytes(labels.read_bytes())
    out = json.loads(evaluate(tmp_path, {str(copy): {"a": 1}}, copy).stdout)
    assert list(out["examples"]) == [str(copy)]


def test_missing_predictions_make_it_incomplete(labels: pathlib.Path, tmp_path: pathlib.Path) -> None:
    out = json.loads(evaluate(tmp_path, {"my-example": {"a": 1, "b": None}}, labels).stdout)
    assert (out["pooled"]["coverage"], out["pooled"]["incomplete"], out["pooled"]["accuracy"]) == (0.5, True, 1)
    none = evaluate(tmp_path, {}, labels, as_json=False)
    assert none.stdout.startswith("pooled: n = 2, coverage 0.0000, accuracy none")


@pytest.mark.parametrize("predictions", [[], {"my-example": []}, {"my-example": {"nope": 1}}, {"my-example": {"a": 2}}])
def test_wrong_predictions_are_status_two(labels: pathlib.Path, tmp_path: pathlib.Path, predictions: Any) -> None:
    result = evaluate(tmp_path, predictions, labels)
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)


def test_without_predictions_a_sentence_says_what_is_missing(labels: pathlib.Path) -> None:
    result = CliRunner().invoke(judge_eval, [str(labels)])
    assert result.exit_code == 2
    assert "judging with a model comes with a later version" in result.stderr
