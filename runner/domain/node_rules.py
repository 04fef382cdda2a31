"""What every rubric node must be; each rule yields (code, sentence)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from runner.domain import numbers
from runner.domain.json_text import is_text
from runner.domain.rubric import CLAIM_KINDS
from runner.domain.slugs import SLUG_RULE, is_slug

Problem = tuple[str, str]
MAX_REQUIREMENTS = 20_000
MAX_EXTRA_DEPTH = 64
FLAGS = frozenset({"vague_qualifier", "no_paper_evidence", "duplicate", "bundled", "unverifiable"})
_ID = re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,200}\Z")
PLAIN_KEYS = frozenset({"id", "requirements", "weight", "sub_tasks", "task_category", "finegrained_task_category"})
GRADE_KEYS = frozenset({"score", "valid_score", "explanation", "judge_metadata"})
_REQUIRED = ("id", "requirements", "weight", "sub_tasks")


def is_id(value: str) -> bool:
    return _ID.match(value) is not None and not value.isspace()


def weighs_nothing(node: Mapping[str, Any]) -> bool:
    weight = node.get("weight")
    return numbers.is_finite(weight) and weight == 0


def problems(node: Mapping[str, Any]) -> Iterator[Problem]:
    """Faults of the four required keys, of `flags` and `rationale_from_paper`, and of values nobody could store."""
    for key in _REQUIRED:
        if key not in node:
            yield "missing_field", f"{key} is missing"
    if "id" in node:
        yield from _id_problems(node["id"])
    if "requirements" in node:
        yield from _requirements_problems(node["requirements"])
    if "weight" in node and not (numbers.is_finite(node["weight"]) and node["weight"] >= 0):
        yield "weight_invalid", "weight must be a finite number of at least 0"
    if "sub_tasks" in node and not isinstance(node["sub_tasks"], list):
        yield "field_invalid", "sub_tasks must be a list"
    if node.keys() - PLAIN_KEYS:
        yield from _extra_problems(node)


def inner_problems(node: Mapping[str, Any]) -> Iterator[Problem]:
    """Faults that a node with children can have."""
    for key in ("task_category", "finegrained_task_category"):
        if node.get(key) is not None:
            yield "inner_with_category", f"{key} belongs on leaves only"
    if node.get("measurement") is not None or node.get("extract") is not None:
        yield "measurement_invalid", "measurement and extract belong on leaves only"
    if node.get("check") is not None:
        yield "check_invalid", "check belongs on leaves only"
    if node.get("flags") is not None:
        yield "flags_invalid", "flags belong on leaves only"


def claim_problems(claim: object) -> Iterator[Problem]:
    if not isinstance(claim, dict):
        yield "claim_invalid", "claim must be an object"
        return
    if not is_slug(claim.get("id")):
        yield "claim_id_invalid", f"claim.id must be {SLUG_RULE}"
    text = claim.get("text")
    if not isinstance(text, str) or not 1 <= len(text.strip()) <= 2000:
        yield "claim_invalid", "claim.text must be a text of 1 to 2,000 characters"
    if claim.get("kind") not in CLAIM_KINDS:
        yield "claim_invalid", f"claim.kind must be one of {', '.join(CLAIM_KINDS)}"


def _id_problems(value: object) -> Iterator[Problem]:
    if value is None or (isinstance(value, str) and not value.strip()):
        yield "missing_field", "id is empty"
    elif not isinstance(value, str) or not is_id(value):
        yield "field_invalid", "id must be a text of 1 to 200 characters without control characters"


def _requirements_problems(value: object) -> Iterator[Problem]:
    if value is None or (isinstance(value, str) and not value.strip()):
        yield "missing_field", "requirements is empty"
    elif not isinstance(value, str) or len(value.strip()) > MAX_REQUIREMENTS:
        yield "field_invalid", f"requirements must be a text of 1 to {MAX_REQUIREMENTS:,} characters"
    elif not is_text(value):
        yield "field_invalid", "requirements holds a NUL character or a lone surrogate"


def _extra_problems(node: Mapping[str, Any]) -> Iterator[Problem]:
    flags, rationale = node.get("flags", []), node.get("rationale_from_paper")
    if not isinstance(flags, list) or not all(isinstance(flag, str) and flag in FLAGS for flag in flags):
        yield "flags_invalid", f"flags must be a list of {', '.join(sorted(FLAGS))}"
    if rationale is not None and not (
        isinstance(rationale, dict) and all(isinstance(rationale.get(key), str) for key in ("section", "quote"))
    ):
        yield "rationale_invalid", "rationale_from_paper must be an object with the texts section and quote"
    for key, value in node.items():
        if key not in PLAIN_KEYS and key not in GRADE_KEYS and (flaw := _flaw(key) or _flaw(value)):
            yield ("too_deep" if flaw == _TOO_DEEP else "field_invalid"), f"{key[:80]!a} {flaw}"


_TOO_DEEP = f"is nested deeper than {MAX_EXTRA_DEPTH} levels"


def _flaw(value: Any) -> str | None:
    """Why a value of any shape cannot be kept, or None. Iterative, so that depth costs nothing."""
    level = [value]
    for _ in range(MAX_EXTRA_DEPTH):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below += [*each.keys(), *each.values()]
            elif isinstance(each, list):
                below += each
            elif isinstance(each, str) and not is_text(each):
                return "holds a NUL character or a lone surrogate"
            elif isinstance(each, int | float) and not isinstance(each, bool) and not numbers.is_finite(each):
                return "holds a number that is not finite"
        if not below:
            return None
        level = below
    return _TOO_DEEP
