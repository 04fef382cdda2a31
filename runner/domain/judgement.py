"""Verdicts that need no model: rules first, then facts about the run (rubric-and-judge.md 1 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runner.domain import checks, measurement, verdict
from runner.domain.checks import RunCommand
from runner.domain.executed_tree import ExecutedTree
from runner.domain.execution import Execution
from runner.domain.measurement import Measured
from runner.domain.rubric import CODE_EXECUTION, RESULT_ANALYSIS, Node
from runner.domain.sources import Sources
from runner.domain.verdict import Evidence, Verdict


@dataclass(frozen=True, slots=True)
class Findings:
    """`verdicts` by the JSON pointer of the leaf, one for each leaf; `measured` in tree order."""

    verdicts: dict[str, Verdict]
    measured: tuple[Measured, ...]


def find(
    leaves: Sequence[Node],
    tree: ExecutedTree,
    execution: Execution,
    run_command: RunCommand,
    before_each: Callable[[], None] = lambda: None,
) -> Findings:
    """Judges what rules and facts decide; everything else is not judged, `no_deterministic_check`.

    `before_each` is called before every criterion; what it raises ends the judging.
    """
    sources = Sources(tree)
    blocked = {leaf.pointer for leaf in leaves if _is_blocked(leaf, execution)}
    open_leaves = [leaf for leaf in leaves if leaf.pointer not in blocked]
    measured = _measure(leaves, open_leaves, sources)
    made_nothing = execution.had_outcome and not any(fact.produced for fact in tree.files().values())
    verdicts = {pointer: verdict.not_judged(_ENVIRONMENT_FAILED, "environment_failed") for pointer in blocked}
    for leaf in open_leaves:
        before_each()
        if leaf.measurement is not None:
            verdicts[leaf.pointer] = _of_measured(measured[leaf.pointer], execution)
        elif leaf.check is not None:
            verdicts[leaf.pointer] = checks.decide(leaf.check, sources, execution, run_command)
        elif made_nothing and leaf.task_category == RESULT_ANALYSIS:
            verdicts[leaf.pointer] = verdict.not_met(_NOTHING_PRODUCED, "nothing_produced")
        else:
            verdicts[leaf.pointer] = verdict.not_judged(_NO_CHECK, "no_deterministic_check")
    return Findings(verdicts, tuple(measured.values()))


_ENVIRONMENT_FAILED = (
    "The environment could not be installed and reproduce.sh was not started, so this cannot be judged."
)
_NOTHING_PRODUCED = "reproduce.sh ended without making or changing any file, so there is no result to analyse."
_NO_CHECK = "The rubric gives no rule for this criterion and no judge model was used."


def _is_blocked(leaf: Node, execution: Execution) -> bool:
    """Nothing can be said about what needs an environment that could not be installed."""
    return execution is Execution.ENVIRONMENT_FAILED and leaf.task_category in (CODE_EXECUTION, RESULT_ANALYSIS)


def _measure(leaves: Sequence[Node], open_leaves: Sequence[Node], sources: Sources) -> dict[str, Measured]:
    """Every measurement in tree order, by the JSON pointer of its leaf."""
    observable = [(leaf.pointer, leaf.measurement) for leaf in open_leaves if leaf.measurement is not None]
    measured = {each.pointer: each for each in measurement.measure_all(sources, observable)}
    return {
        leaf.pointer: measured.get(leaf.pointer)
        or measurement.unexecuted(leaf.pointer, leaf.measurement, _ENVIRONMENT_FAILED, "environment_failed")
        for leaf in leaves
        if leaf.measurement is not None
    }


def _of_measured(measured: Measured, execution: Execution) -> Verdict:
    evidence = (Evidence(measured.path, measured.line),) if measured.path is not None else ()
    match measured.verification:
        case "verified":
            return verdict.met(measured.sentence, *evidence)
        case "mismatched":
            return verdict.not_met(measured.sentence, "out_of_tolerance", *evidence)
        case "review_required":
            return verdict.not_judged(measured.sentence, "review_required", *evidence)
        case "unverified":
            return checks.absent(measured.sentence, measured.reason or "value_unreadable", execution, *evidence)
