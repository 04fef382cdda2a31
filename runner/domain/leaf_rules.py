"""What a leaf must be: its categories and its rule; each rule yields (code, sentence)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runner.domain import criterion_rules
from runner.domain.criterion import CommandCheck
from runner.domain.rubric import CATEGORIES, FINE_CATEGORIES

Problem = tuple[str, str]


def problems(leaf: Mapping[str, Any], is_generated: bool) -> Iterator[Problem]:
    yield from _category_problems(leaf)
    if leaf.get("measurement") is None and leaf.get("extract") is None and leaf.get("check") is None:
        return
    of_measurement: list[str] = []
    of_check: list[str] = []
    _, check = criterion_rules.read_rule(leaf, of_measurement, of_check)
    for sentence in of_measurement:
        yield "measurement_invalid", sentence
    for sentence in of_check:
        yield "check_invalid", sentence
    if is_generated and isinstance(check, CommandCheck):
        yield "check_not_allowed", "a generated rubric cannot hold a check of kind command: only people may add one"


def unknown_keys(node: Mapping[str, Any]) -> set[str]:
    """Keys inside `measurement` that have no meaning; those of `check` and `extract` are faults."""
    measurement = node.get("measurement")
    return criterion_rules.unknown_keys(measurement) if measurement is not None else set()


def _category_problems(leaf: Mapping[str, Any]) -> Iterator[Problem]:
    category, fine = leaf.get("task_category"), leaf.get("finegrained_task_category")
    if category is None:
        yield "leaf_without_category", f"task_category is missing: one of {', '.join(CATEGORIES)}"
    elif not isinstance(category, str) or category not in CATEGORIES:
        yield "category_unknown", f"task_category must be one of {', '.join(CATEGORIES)}"
    if fine is not None and (not isinstance(fine, str) or fine not in FINE_CATEGORIES):
        yield "category_unknown", f"finegrained_task_category must be one of {', '.join(FINE_CATEGORIES)}"
