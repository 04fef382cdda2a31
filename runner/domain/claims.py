"""The claims of a rubric, and what one run concludes about each (rubric-and-judge.md 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from runner.domain import rubric, scoring
from runner.domain.execution import Execution
from runner.domain.measurement import Measured
from runner.domain.numbers import Exact, say
from runner.domain.rubric import RESULT_ANALYSIS, ClaimKind, Node
from runner.domain.slugs import unique_slugs
from runner.domain.verdict import Verdict

Conclusion = Literal["supports", "challenges", "contradicts", "insufficient"]
AssessorKind = Literal["deterministic", "llm", "mixed"]


@dataclass(frozen=True, slots=True)
class Claim:
    """`pointer` is the node it stands on; `kind` is None for a claim that nobody stated as one."""

    id: str
    text: str
    kind: ClaimKind | None
    pointer: str


@dataclass(frozen=True, slots=True)
class ClaimOutcome:
    """One claim in one run. `conclusion` is None when none of its leaves was judged: then there is no assessment.

    `score` (raw) and `coverage` are local to the claim's subtree.
    """

    claim: Claim
    conclusion: Conclusion | None
    rationale: str | None
    score: Exact | None
    coverage: Exact
    measurement_ids: tuple[str, ...]
    evidence_paths: tuple[str, ...]
    assessor_kind: AssessorKind | None
    assessor_model: str | None


def claims_of(root: Node) -> list[Claim]:
    """The stated claims; if there is none, the root's children; if the root is a leaf, the root."""
    stated = [Claim(n.claim.id, n.claim.text, n.claim.kind, n.pointer) for n in rubric.walk(root) if n.claim]
    if stated:
        return stated
    nodes = root.children or (root,)
    slugs = unique_slugs([node.id for node in nodes])
    return [Claim(slug, node.requirements, None, node.pointer) for slug, node in zip(slugs, nodes, strict=True)]


def conclude_all(
    root: Node,
    view: Node,
    verdicts: Mapping[str, Verdict],
    measured: Sequence[Measured],
    execution: Execution,
    code_only: bool,
) -> list[ClaimOutcome]:
    """What the run says about each claim of the rubric `root`, over the leaves that `view` keeps of it."""
    nodes = {node.pointer: node for node in rubric.walk(view)}
    by_pointer = {each.pointer: each for each in measured}
    outcomes = []
    for claim in claims_of(root):
        node = nodes.get(claim.pointer)
        leaves = rubric.leaves(node) if node else []
        own = [by_pointer[leaf.pointer] for leaf in leaves if leaf.pointer in by_pointer]
        decided = {leaf.pointer: verdicts[leaf.pointer] for leaf in leaves}
        outcomes.append(_conclude(claim, node, decided, own, _stands_on_execution(claim, execution, code_only)))
    return outcomes


def _conclude(
    claim: Claim, node: Node | None, verdicts: Mapping[str, Verdict], measured: Sequence[Measured], executed: bool
) -> ClaimOutcome:
    judged = [each for each in verdicts.values() if each.score is not None]
    measurement_ids = tuple(each.measurement.id for each in measured)
    if node is None or not judged:
        return ClaimOutcome(claim, None, None, None, 0, measurement_ids, (), None, None)
    grades = {pointer: each.score for pointer, each in verdicts.items()}
    score = scoring.score(node, grades).root
    results = {n.pointer: grades[n.pointer] for n in rubric.leaves(node) if n.task_category == RESULT_ANALYSIS}
    kind, model = _assessor(judged)
    return ClaimOutcome(
        claim=claim,
        conclusion=_conclusion(executed, score, scoring.raw_score(node, results), measured),
        rationale=_rationale(executed, len(judged), len(verdicts), score, measured),
        score=score.raw,
        coverage=score.coverage,
        measurement_ids=measurement_ids,
        evidence_paths=tuple(dict.fromkeys(item.path for each in judged for item in each.evidence)),
        assessor_kind=kind,
        assessor_model=model,
    )


def _stands_on_execution(claim: Claim, execution: Execution, code_only: bool) -> bool:
    if execution is Execution.PAPER_ONLY:
        return True
    return claim.kind == "artifact" if code_only else execution is Execution.SUCCEEDED


def _conclusion(
    executed: bool, score: scoring.Score, results: Exact | None, measured: Sequence[Measured]
) -> Conclusion:
    """The first row of the table that fits."""
    if not executed:
        return "insufficient"
    if any(each.verification == "mismatched" for each in measured):
        return "contradicts"
    if score.coverage < Fraction(1, 2):
        return "insufficient"
    all_verified = all(each.verification == "verified" for each in measured)
    if all_verified and score.raw is not None and score.raw >= Fraction(4, 5):
        return "supports"
    return "challenges" if results is not None and results < Fraction(1, 2) else "insufficient"


def _assessor(judged: Sequence[Verdict]) -> tuple[AssessorKind, str | None]:
    kinds = {each.judge.kind for each in judged}
    models = sorted({each.judge.model for each in judged if each.judge.model is not None})
    if kinds == {"check"}:
        return "deterministic", None
    return ("llm" if kinds == {"llm"} else "mixed"), ", ".join(models) or None


def _rationale(executed: bool, judged: int, leaves: int, score: scoring.Score, measured: Sequence[Measured]) -> str:
    coverage, points = say(score.coverage), "none" if score.raw is None else say(score.raw)
    told = [f"{judged} of {leaves} criteria judged (coverage {coverage}), score {points}."]
    if not executed:
        told.append("The execution did not succeed, so this run cannot speak for or against the claim.")
    told += [f"{each.measurement.id}: {each.sentence}" for each in measured if each.verification != "verified"]
    return " ".join(told)
