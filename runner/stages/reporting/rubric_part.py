"""Section 4: which rubric was used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from runner.stages.reporting import plain_text, stored
from runner.stages.reporting.criteria_part import Criterion
from runner.stages.reporting.quantities import Percent, percent, share
from runner.stages.reporting.stored import JsonObject


@dataclass(frozen=True, slots=True)
class CategoryFacts:
    """One task category: its part of the whole score, its leaves, how they came out, and two fractions to draw."""

    name: str
    weight: Percent | None
    total: int
    met: int
    not_met: int
    not_judged: int
    score: Percent | None
    met_part: Decimal
    open_part: Decimal


@dataclass(frozen=True, slots=True)
class Rubric:
    """`depth` counts levels, the root is 1. `graded` is how many leaves this run graded (code-only leaves some out)."""

    version: int | None
    sha256: str | None
    origin: str | None
    leaves: int | None
    graded: int
    depth: int | None
    categories: tuple[CategoryFacts, ...]
    warnings: tuple[str, ...]
    is_outdated: bool


def read(rubric: JsonObject, results: JsonObject | None, criteria: Sequence[Criterion]) -> Rubric:
    tree = tree_of(rubric)
    return Rubric(
        version=stored.count(rubric, "version"),
        sha256=stored.text(rubric, "sha256") or stored.text(results, "rubric_sha256"),
        origin=stored.text(rubric, "origin"),
        leaves=stored.count(rubric, "leaves_count"),
        graded=len(criteria),
        depth=_depth(tree) if tree else None,
        categories=_categories(results, criteria),
        warnings=tuple(stored.text(each, "code") or "" for each in stored.objects(rubric, "warnings")),
        is_outdated=stored.flag(results, "rubric_outdated"),
    )


def tree_of(rubric: JsonObject) -> JsonObject:
    """The tree as given, whichever key holds it."""
    return stored.child(rubric, "tree") or stored.child(rubric, "rubric")


def _categories(results: JsonObject | None, criteria: Sequence[Criterion]) -> tuple[CategoryFacts, ...]:
    """The categories of the results that have leaves, in their order; drawn parts by exact shares."""
    found = []
    for name, counts in stored.child(results, "categories").items():
        own = [each for each in criteria if each.category == name]
        if not own or not isinstance(counts, dict):
            continue
        whole = sum((each.weight_in_all for each in own), Decimal(0))
        unjudged = sum((each.weight_in_all for each in own if each.status == "not_judged"), Decimal(0))
        score, open_part = stored.number(counts, "score"), unjudged / whole if whole else Decimal(0)
        found.append(
            CategoryFacts(
                name=plain_text.one_line(name),
                weight=share(whole),
                total=stored.count(counts, "total") or len(own),
                met=stored.count(counts, "met") or 0,
                not_met=stored.count(counts, "not_met") or 0,
                not_judged=stored.count(counts, "not_judged") or 0,
                score=percent(score),
                met_part=(score or Decimal(0)) * (1 - open_part),
                open_part=open_part,
            )
        )
    return tuple(found)


def _depth(node: JsonObject) -> int:
    return 1 + max((_depth(part) for part in stored.objects(node, "sub_tasks")), default=0)
