"""The judge stage without a model: the graded view of a rubric, its verdicts, scores and claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runner.domain import claims, judgement, pruning, rubric, scoring
from runner.domain.checks import RunCommand
from runner.domain.executed_tree import ExecutedTree
from runner.domain.execution import Execution
from runner.domain.results import Judgement


@dataclass(frozen=True, slots=True)
class ViewFlags:
    """Which part of the rubric a run grades (judge_config)."""

    code_only: bool = False
    resources_provided: bool = False
    max_depth: int | None = None


def judge(
    tree_json: Mapping[str, Any],
    flags: ViewFlags,
    tree: ExecutedTree,
    execution: Execution,
    run_command: RunCommand,
    before_each: Callable[[], None] = lambda: None,
) -> Judgement:
    """Judges the executed tree of one run by a stored rubric.

    `tree_json` is the rubric tree as stored; `run_command(argv, timeout_s)` runs one `command` check, isolated, and is
    called for such checks only; `before_each` is called before every criterion, and what it raises ends the judging.
    Raises Invalid `rubric_nothing_to_grade`.
    """
    root = rubric.load(tree_json)
    view = pruning.view(
        root, code_only=flags.code_only, resources_provided=flags.resources_provided, max_depth=flags.max_depth
    )
    found = judgement.find(rubric.leaves(view), tree, execution, run_command, before_each)
    outcomes = claims.conclude_all(root, view, found.verdicts, found.measured, execution, flags.code_only)
    return Judgement(
        view=view,
        code_only=flags.code_only,
        verdicts=found.verdicts,
        measured=found.measured,
        scorecard=scoring.score(view, {pointer: each.score for pointer, each in found.verdicts.items()}),
        claims=tuple(outcomes),
    )
