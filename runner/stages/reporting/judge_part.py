"""Sections 7 and 8: who judged, how sure that is, and what it cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from runner.stages.reporting import stored
from runner.stages.reporting.criteria_part import Criterion
from runner.stages.reporting.quantities import Percent, Phrase, Usd, percent
from runner.stages.reporting.stored import JsonObject


@dataclass(frozen=True, slots=True)
class Judge:
    """`by_rule` and `models` count judged criteria; `control` is the sentence about the negative control."""

    by_rule: int
    models: tuple[tuple[str, int], ...]
    not_judged: int
    not_judged_share: Percent | None
    runs_per_criterion: int | None
    unstable: int
    suspicious: int
    control: Phrase


@dataclass(frozen=True, slots=True)
class Cost:
    """`usd` None = unknown. `used_models` is False when nothing was asked of a model at all."""

    used_models: bool
    usd: Usd | None
    tokens_in: int | None
    tokens_out: int | None


def read(run: JsonObject, results: JsonObject | None, criteria: Sequence[Criterion]) -> Judge:
    judged = [each for each in criteria if each.status != "not_judged"]
    by_model: dict[str, int] = {}
    for each in judged:
        if each.judge_kind == "llm":
            name = each.judge_model or "?"
            by_model[name] = by_model.get(name, 0) + 1
    coverage = stored.number(results, "coverage")
    return Judge(
        by_rule=sum(each.judge_kind == "check" for each in judged),
        models=tuple(sorted(by_model.items())),
        not_judged=len(criteria) - len(judged),
        not_judged_share=None if coverage is None else percent(1 - coverage),
        runs_per_criterion=stored.count(stored.child(stored.child(run, "configs"), "judge_config"), "n_runs"),
        unstable=sum(each.agreement is not None and each.agreement.value < 75 for each in criteria),
        suspicious=sum(each.injection_suspected for each in criteria),
        control=_control(stored.child(results, "negative_control"), bool(by_model)),
    )


def read_cost(run: JsonObject, results: JsonObject | None) -> Cost | None:
    """None when the run says nothing about it."""
    facts = stored.child(results, "cost") or stored.child(run, "cost")
    if not facts:
        return None
    usd = stored.number(facts, "llm_usd") if facts.get("cost_known") is not False else None
    tokens_in, tokens_out = stored.count(facts, "tokens_in"), stored.count(facts, "tokens_out")
    return Cost(
        used_models=usd is None or usd > 0 or bool(tokens_in) or bool(tokens_out),
        usd=None if usd is None else Usd(usd.quantize(Decimal("0.0001"))),
        tokens_in=tokens_in,
        tokens_out=tokens_out,
    )


def _control(facts: JsonObject, used_a_model: bool) -> Phrase:
    if not facts:
        return Phrase("judge.control.not_made" if used_a_model else "judge.control.not_needed")
    scores = {name: percent(stored.number(facts, name)) for name in ("empty", "boilerplate")}
    return Phrase("judge.control.passed" if facts.get("passed") is True else "judge.control.failed", scores)
