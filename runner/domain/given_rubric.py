"""A rubric that somebody sends: parsed, checked, and taken apart into what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runner.domain import json_text, node_rules, rubric, rubric_hash, rubric_rules
from runner.domain.errors import Fault, Invalid
from runner.domain.rubric import Node
from runner.domain.rubric_rules import RubricWarning

CODE = "rubric_invalid"


@dataclass(frozen=True, slots=True)
class GivenRubric:
    """An accepted rubric. `tree` is as given without `flags` and grades; `envelope` is what stood around it."""

    tree: dict[str, Any]
    flags: dict[str, list[str]]
    envelope: dict[str, Any]
    root: Node
    sha256: str
    warnings: tuple[RubricWarning, ...]

    @property
    def leaves_count(self) -> int:
        return len(rubric.leaves(self.root))

    @property
    def categories(self) -> dict[str, int]:
        return rubric.count_categories(self.root)


def read(body: bytes) -> GivenRubric:
    """Raises Malformed `bad_json`, TooLarge `body_too_large`, Invalid `rubric_invalid` with every fault."""
    return accept(json_text.parse(body, CODE))


def accept(data: Any) -> GivenRubric:
    """The rubric of parsed JSON, a tree or an envelope. Raises Invalid `rubric_invalid` with every fault."""
    faults, warnings = rubric_rules.check(data)
    if faults:
        raise Invalid(_summary(faults), CODE, faults)
    is_envelope = rubric_rules.is_envelope(data)
    given = data["rubric"] if is_envelope else data
    envelope = {key: value for key, value in data.items() if key != "rubric"} if is_envelope else {}
    if any(warning.code == "grades_dropped" for warning in warnings):
        given = _without_grades(given)
    tree, flags = rubric_hash.split_flags(given)
    return GivenRubric(tree, flags, envelope, rubric.load(tree), rubric_hash.sha256(tree), tuple(warnings))


def _summary(faults: list[Fault]) -> str:
    rest = f" ({len(faults) - 1} more faults)" if len(faults) > 2 else " (1 more fault)" if len(faults) == 2 else ""
    return f"The rubric is not valid: {faults[0].message}{rest}"


def _without_grades(node: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in node.items() if key not in node_rules.GRADE_KEYS}
    return {**kept, "sub_tasks": [_without_grades(child) for child in node["sub_tasks"]]}
