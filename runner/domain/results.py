"""The results document of a run (paperbench-api.md, GET /run/{job_id}/results), built from what was judged. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.domain import rubric, scoring
from runner.domain.claims import ClaimOutcome
from runner.domain.measurement import Measured
from runner.domain.numbers import Exact, plain
from runner.domain.rubric import Node
from runner.domain.scoring import Scorecard
from runner.domain.verdict import Verdict

EvidenceIds = Mapping[str, str]
"""Path of a stored artifact -> its evidence id."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Everything one judging found. `view` is the graded part of the rubric; `verdicts` has each of its leaves."""

    view: Node
    code_only: bool
    verdicts: Mapping[str, Verdict]
    measured: tuple[Measured, ...]
    scorecard: Scorecard
    claims: tuple[ClaimOutcome, ...]


def build(
    judgement: Judgement,
    *,
    job_id: str,
    paper_id: str,
    degraded: bool,
    cost: Mapping[str, Any],
    reproduce: Mapping[str, Any],
    evidence_ids: EvidenceIds,
    assessments: Mapping[str, Sequence[Mapping[str, Any]]],
    negative_control: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The document as JSON values. `assessments` by claim id, oldest first, as they are to be shown."""
    return {
        "job_id": job_id,
        "paper_id": paper_id,
        **summary(judgement.scorecard),
        "code_only": judgement.code_only,
        "degraded": degraded,
        "leaves": [_leaf(leaf, judgement, evidence_ids) for leaf in rubric.leaves(judgement.view)],
        "rubric": _node(judgement.view, judgement),
        "categories": categories(judgement.view, {p: v.score for p, v in judgement.verdicts.items()}),
        "claims": [_claim(outcome, assessments.get(outcome.claim.id, ())) for outcome in judgement.claims],
        "measurements": _measurements(judgement, evidence_ids),
        "negative_control": negative_control,
        "cost": dict(cost),
        "reproduce": dict(reproduce),
    }


def summary(card: Scorecard) -> dict[str, Any]:
    """`ors_score`, `raw_score`, `coverage`, `score_bounds`: two different numbers and never one for the other."""
    return {
        "ors_score": _plain(card.root.final),
        "raw_score": _plain(card.root.raw),
        "coverage": plain(card.root.coverage),
        "score_bounds": {"low": plain(card.root.low), "high": plain(card.root.high)},
    }


def categories(view: Node, grades: scoring.Grades) -> dict[str, dict[str, Any]]:
    """Per task category the counts, and the score of the tree that is left when only its judged leaves stay."""
    found: dict[str, dict[str, Any]] = {}
    leaves = rubric.leaves(view)
    present = {leaf.task_category for leaf in leaves}
    for name in (*rubric.CATEGORIES, *({rubric.SUBTREE} & present)):
        own = {leaf.pointer: grades.get(leaf.pointer) for leaf in leaves if leaf.task_category == name}
        found[name] = {"total": len(own), **counts(own), "score": _plain(scoring.raw_score(view, own))}
    return found


def counts(grades: scoring.Grades) -> dict[str, int]:
    """Leaves `met`, `not_met`, `not_judged`; a score between 0 and 1 is met from a half on."""
    judged = [grade for grade in grades.values() if grade is not None]
    met = sum(grade * 2 >= 1 for grade in judged)
    return {"met": met, "not_met": len(judged) - met, "not_judged": len(grades) - len(judged)}


def _leaf(leaf: Node, judgement: Judgement, evidence_ids: EvidenceIds) -> dict[str, Any]:
    verdict = judgement.verdicts[leaf.pointer]
    return {
        "id": leaf.id,
        "pointer": leaf.pointer,
        "path": list(leaf.path),
        "requirements": leaf.requirements,
        "weight": plain(leaf.weight),
        "share": plain(judgement.scorecard.shares[leaf.pointer]),
        "task_category": leaf.task_category,
        "finegrained_task_category": leaf.finegrained_task_category,
        "status": verdict.status,
        "passed": {"met": True, "not_met": False, "not_judged": None}[verdict.status],
        "score": _plain(verdict.score),
        "runs": [dict(run) for run in verdict.runs],
        "explanation": verdict.explanation,
        "reason": verdict.reason,
        "evidence": [
            {"path": item.path, "line": item.line, "evidence_id": evidence_ids.get(item.path)}
            for item in verdict.evidence
        ],
        "judge": {"kind": verdict.judge.kind, "model": verdict.judge.model},
    }


def _node(node: Node, judgement: Judgement) -> dict[str, Any]:
    """A node with its local raw score; `valid` says whether everything under it was judged."""
    score = judgement.scorecard.nodes[node.pointer]
    return {
        "id": node.id,
        "pointer": node.pointer,
        "requirements": node.requirements,
        "weight": plain(node.weight),
        "task_category": node.task_category,
        "finegrained_task_category": node.finegrained_task_category,
        "score": _plain(score.raw),
        "valid": score.valid,
        "sub_tasks": [_node(child, judgement) for child in node.children],
    }


def _claim(outcome: ClaimOutcome, assessments: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "claim_id": outcome.claim.id,
        "text": outcome.claim.text,
        "kind": outcome.claim.kind,
        "score": _plain(outcome.score),
        "coverage": plain(outcome.coverage),
        "conclusion": outcome.conclusion,
        "measurement_ids": list(outcome.measurement_ids),
        "assessments": [dict(each) for each in assessments],
    }


def _measurements(judgement: Judgement, evidence_ids: EvidenceIds) -> list[dict[str, Any]]:
    claim_of = {each: outcome.claim.id for outcome in judgement.claims for each in outcome.measurement_ids}
    return [_measurement(each, claim_of.get(each.measurement.id), evidence_ids) for each in judgement.measured]


def _measurement(measured: Measured, claim_id: str | None, evidence_ids: EvidenceIds) -> dict[str, Any]:
    rule = measured.measurement
    amount = rule.tolerance.amount.to_json()
    found = evidence_ids.get(measured.path) if measured.path and measured.verification != "unverified" else None
    return {
        "measurement_id": rule.id,
        "claim_id": claim_id,
        "metric": rule.metric,
        "unit": rule.unit,
        "dimensions": dict(rule.dimensions),
        "reported_value": rule.reported.to_json(),
        "observed_value": measured.observed_json,
        "tolerance": {"relative": amount} if rule.tolerance.is_relative else amount,
        "verification": measured.verification,
        "evidence_ids": [found] if found else [],
    }


def _plain(value: Exact | None) -> int | float | None:
    return None if value is None else plain(value)
