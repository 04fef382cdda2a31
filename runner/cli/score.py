"""`reprise score RUBRIC GRADES`: the score of a rubric from grades, without a server (rubric-and-judge.md 10)."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import click

from runner.cli.refusals import refused_for
from runner.domain import given_rubric, grades, json_text, pruning, results, scoring
from runner.domain.given_rubric import GivenRubric
from runner.domain.rubric import Node

_FILE = click.Path(path_type=pathlib.Path)


@click.command("score")
@click.argument("rubric_file", metavar="RUBRIC", type=_FILE)
@click.argument("grades_file", metavar="GRADES", type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--code-only", is_flag=True, help="Keep Code Development criteria only.")
@click.option("--resources-provided", is_flag=True, help="Leave out Dataset and Model Acquisition criteria.")
@click.option("--max-depth", type=click.IntRange(1, 32), help="Grade inner nodes at this depth as a whole.")
def score(
    rubric_file: pathlib.Path,
    grades_file: pathlib.Path,
    as_json: bool,
    code_only: bool,
    resources_provided: bool,
    max_depth: int | None,
) -> None:
    """Compute the score of RUBRIC from GRADES.

    RUBRIC is a rubric, an envelope or a graded tree. GRADES is an object {id or JSON pointer: 1, 0, true, false, null
    or a number between 0 and 1}, a list of {"id" or "pointer", "status" or "score"}, or a graded tree. What is not
    graded is not judged, which is not 0. Exit status 2: an input is wrong.
    """
    with refused_for(rubric_file):
        given = given_rubric.read(rubric_file.read_bytes())
        view = pruning.view(given.root, code_only=code_only, resources_provided=resources_provided, max_depth=max_depth)
    with refused_for(grades_file):
        graded = grades.read(json_text.parse(grades_file.read_bytes()), given.root, view)
    outcome = _outcome(given, view, graded, code_only)
    click.echo(json.dumps(outcome) if as_json else _text(outcome))


def _outcome(given: GivenRubric, view: Node, graded: grades.Grades, code_only: bool) -> dict[str, Any]:
    card = scoring.score(view, graded)
    return {
        **results.summary(card),
        "leaves_total": len(graded),
        **{f"leaves_{name}": number for name, number in results.counts(graded).items()},
        "valid": card.root.valid,
        "code_only": code_only,
        "categories": results.categories(view, graded),
        "rubric_sha256": given.sha256,
        "warnings": [warning.to_json() for warning in given.warnings],
    }


def _text(outcome: dict[str, Any]) -> str:
    bounds = outcome["score_bounds"]
    lines = [
        f"score      {_percent(outcome['ors_score'])}" + ("  (code only)" if outcome["code_only"] else ""),
        f"coverage   {_percent(outcome['coverage'])}",
        f"bounds     {_percent(bounds['low'])} to {_percent(bounds['high'])}",
        f"raw score  {_percent(outcome['raw_score'])}",
        f"criteria   {_counts(outcome, 'leaves_')}",
    ]
    for name, each in outcome["categories"].items():
        lines.append(f"  {name}: {_counts(each, '')}, score {_percent(each['score'])}")
    lines.append(f"rubric     sha256 {outcome['rubric_sha256']}")
    lines += [f"warning    {warning['message']} [{warning['code']}]" for warning in outcome["warnings"]]
    return "\n".join(lines)


def _counts(numbers: dict[str, Any], prefix: str) -> str:
    total, met, not_met, not_judged = (numbers[prefix + name] for name in ("total", "met", "not_met", "not_judged"))
    return f"{total}: {met} met, {not_met} not met, {not_judged} not judged"


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{100 * share:.2f} %"
