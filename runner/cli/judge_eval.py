"""`reprise judge-eval LABELS...`: how well predicted verdicts agree with human ones (rubric-and-judge.md 10)."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import click

from runner.cli.refusals import Refusal, refused_for
from runner.domain import agreement, given_rubric, grades, json_text, rubric
from runner.domain.numbers import Exact
from runner.domain.rubric import CATEGORIES, Node

_FILE = click.Path(path_type=pathlib.Path)
_LABELS_INSIDE = ("0", "grading", "expected_result.json")


@dataclass(frozen=True, slots=True)
class Example:
    """A tree graded by people: `labels` by JSON pointer, without leaves whose grade is not valid."""

    name: str
    file: str
    root: Node
    labels: dict[str, bool]


@dataclass(frozen=True, slots=True)
class Sample:
    example: str
    category: str | None
    pair: agreement.Pair


@click.command("judge-eval")
@click.argument("labels", metavar="LABELS...", nargs=-1, required=True, type=_FILE)
@click.option("--predictions", type=_FILE, help="JSON {example: {JSON pointer or id: 0, 1 or null}}.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def judge_eval(labels: tuple[pathlib.Path, ...], predictions: pathlib.Path | None, as_json: bool) -> None:
    """Compare predicted verdicts with the human ones in LABELS, trees graded by people.

    An example is named by its path, or by the folder <example> of <example>/0/grading/expected_result.json.
    """
    if predictions is None:
        raise Refusal("judge-eval needs --predictions FILE: judging with a model comes with a later version.")
    examples = [_read_example(file) for file in labels]
    with refused_for(predictions):
        samples = _pair(examples, json_text.parse(predictions.read_bytes()))
    outcome = _evaluate(examples, samples)
    click.echo(json.dumps(outcome) if as_json else _text(outcome))


def _read_example(file: pathlib.Path) -> Example:
    with refused_for(file):
        body = file.read_bytes()
        root = given_rubric.read(body).root
        graded = grades.read(json_text.parse(body), root, root)
    is_packaged = file.parts[-3:] == _LABELS_INSIDE
    name = file.absolute().parts[-4] if is_packaged else str(file)
    return Example(name, str(file), root, {p: _is_met(g) for p, g in graded.items() if g is not None})


def _pair(examples: Iterable[Example], predictions: Any) -> list[Sample]:
    """One sample per labelled leaf. Raises grades.GradesError for a key or grade that is none."""
    if not isinstance(predictions, dict):
        raise grades.GradesError("The predictions must be an object of examples.")
    samples = []
    for example in examples:
        given = predictions.get(example.file, predictions.get(example.name, {}))
        if not isinstance(given, dict):
            raise grades.GradesError(f"The predictions of {example.name!r} must be an object.")
        predicted = grades.read(given, example.root, example.root)
        for leaf in rubric.leaves(example.root):
            if leaf.pointer in example.labels:
                grade = predicted[leaf.pointer]
                pair = example.labels[leaf.pointer], None if grade is None else _is_met(grade)
                samples.append(Sample(example.name, leaf.task_category, pair))
    return samples


def _is_met(grade: Exact) -> bool:
    return grade * 2 >= 1


def _evaluate(examples: Iterable[Example], samples: list[Sample]) -> dict[str, Any]:
    return {
        "pooled": agreement.measure(each.pair for each in samples),
        "examples": {
            example.name: agreement.measure(each.pair for each in samples if each.example == example.name)
            for example in examples
        },
        "by_category": {
            category: agreement.measure(each.pair for each in samples if each.category == category)
            for category in CATEGORIES
            if any(each.category == category for each in samples)
        },
    }


def _text(outcome: dict[str, Any]) -> str:
    rows = [("pooled", outcome["pooled"]), *outcome["examples"].items(), *outcome["by_category"].items()]
    return "\n".join(_row(name, metrics) for name, metrics in rows)


def _row(name: str, metrics: dict[str, Any]) -> str:
    told = ", ".join(
        f"{label} {'none' if metrics[key] is None else format(metrics[key], '.4f')}"
        for label, key in (("coverage", "coverage"), ("accuracy", "accuracy"), ("F1", "f1_macro"))
    )
    return f"{name}: n = {metrics['num_samples']}, {told}" + ("  (incomplete)" if metrics.get("incomplete") else "")
