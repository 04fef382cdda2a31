"""Section 6: every criterion, grouped by the part of the rubric it stands in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from runner.stages.reporting import stored
from runner.stages.reporting.quantities import Percent, percent, share
from runner.stages.reporting.stored import JsonObject

STATUSES = ("met", "not_met", "not_judged")
_ORDER = {"not_met": 0, "not_judged": 1, "met": 2}


@dataclass(frozen=True, slots=True)
class Criterion:
    """One leaf. `weight_in_all` is its exact share, `evidence` is `path:line`; `by` is `check` or the model's name."""

    id: str
    pointer: str
    requirement: str
    category: str
    status: str
    share: Percent | None
    weight_in_all: Decimal
    explanation: str | None
    evidence: tuple[str, ...]
    judge_kind: str
    judge_model: str | None
    agreement: Percent | None
    injection_suspected: bool


@dataclass(frozen=True, slots=True)
class Group:
    """Criteria with one parent: not met first, then not judged, then met. `trail` are the requirements above it."""

    pointer: str
    id: str
    requirement: str
    trail: tuple[str, ...]
    share: Percent | None
    criteria: tuple[Criterion, ...]

    def count(self, status: str) -> int:
        return sum(each.status == status for each in self.criteria)


def read(results: JsonObject | None) -> tuple[Criterion, ...]:
    """In tree order."""
    return tuple(_criterion(leaf) for leaf in stored.objects(results, "leaves"))


def group(criteria: Sequence[Criterion], results: JsonObject | None) -> tuple[Group, ...]:
    """Groups in tree order."""
    nodes = dict(_walk(stored.child(results, "rubric"), ()))
    by_parent: dict[str, list[Criterion]] = {}
    for each in criteria:
        by_parent.setdefault(each.pointer.rpartition("/sub_tasks/")[0], []).append(each)
    return tuple(_group(parent, found, nodes) for parent, found in by_parent.items())


def _group(parent: str, found: list[Criterion], nodes: dict[str, tuple[JsonObject, tuple[str, ...]]]) -> Group:
    node, trail = nodes.get(parent, ({}, ()))
    return Group(
        pointer=parent,
        id=stored.text(node, "id") or parent,
        requirement=stored.text(node, "requirements") or "",
        trail=trail,
        share=share(sum((each.weight_in_all for each in found), Decimal(0))),
        criteria=tuple(sorted(found, key=lambda each: _ORDER[each.status])),
    )


def _walk(node: JsonObject, trail: tuple[str, ...]) -> Iterator[tuple[str, tuple[JsonObject, tuple[str, ...]]]]:
    pointer = str(node.get("pointer") or "")
    yield pointer, (node, trail)
    below = (*trail, stored.text(node, "requirements") or "") if pointer else ()
    for index, part in enumerate(stored.objects(node, "sub_tasks")):
        yield from _walk({"pointer": f"{pointer}/sub_tasks/{index}", **part}, below)


def _criterion(leaf: JsonObject) -> Criterion:
    judge, weight = stored.child(leaf, "judge"), stored.number(leaf, "share")
    status = stored.text(leaf, "status")
    return Criterion(
        id=stored.text(leaf, "id") or "",
        pointer=str(leaf.get("pointer") or ""),
        requirement=stored.block(leaf, "requirements") or "",
        category=stored.text(leaf, "task_category") or "",
        status=status if status in STATUSES else "not_judged",
        share=share(weight),
        weight_in_all=weight or Decimal(0),
        explanation=stored.block(leaf, "explanation"),
        evidence=tuple(_place(item) for item in stored.objects(leaf, "evidence") if stored.text(item, "path")),
        judge_kind="llm" if stored.text(judge, "kind") == "llm" else "check",
        judge_model=stored.text(judge, "model"),
        agreement=percent(stored.number(leaf, "agreement")),
        injection_suspected=stored.flag(leaf, "injection_suspected"),
    )


def _place(item: JsonObject) -> str:
    line = stored.count(item, "line")
    return f"{stored.text(item, 'path')}" if line is None else f"{stored.text(item, 'path')}:{line}"
