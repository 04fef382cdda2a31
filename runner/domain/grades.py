"""Grades somebody gives for a rubric: a mapping, a list, or a graded PaperBench tree (rubric-and-judge.md 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from runner.domain import numbers, rubric
from runner.domain.errors import Invalid
from runner.domain.numbers import Exact
from runner.domain.rubric import Node

Grades = dict[str, Exact | None]
_STATUSES: dict[str, Exact | None] = {"met": 1, "not_met": 0, "not_judged": None}


class GradesError(Invalid):
    code = "grades_invalid"


def read(data: Any, root: Node, view: Node) -> Grades:
    """Grades by JSON pointer, for the leaves of `view`, a view of the rubric `root`.

    A pointer wins over an id; an id that occurs on several leaves applies to all of them. Raises GradesError for a key
    that names no criterion, a grade that is none, and a tree of another shape.
    """
    if isinstance(data, dict) and isinstance(data.get("rubric"), dict):
        data = data["rubric"]
    by_id: Grades = {}
    if isinstance(data, dict) and isinstance(data.get("sub_tasks"), list):
        by_pointer = dict(_of_tree(data, root, {leaf.pointer for leaf in rubric.leaves(view)}))
    elif isinstance(data, dict | list):
        pairs = _of_mapping(data) if isinstance(data, dict) else _of_list(data)
        by_pointer, by_id = _sort_keys(pairs, root, view)
    else:
        raise GradesError("The grades must be an object, a list or a graded tree.")
    return {leaf.pointer: by_pointer.get(leaf.pointer, by_id.get(leaf.id)) for leaf in rubric.leaves(view)}


def read_grade(value: object, where: str) -> Exact | None:
    """1, 0, true, false, a number in [0, 1], or None for "not judged". Raises GradesError."""
    if value is None or isinstance(value, bool):
        return None if value is None else int(value)
    if isinstance(value, int | float) and numbers.is_finite(value) and 0 <= value <= 1:
        exact = numbers.exact(value)
        return exact.numerator if exact.denominator == 1 else exact
    raise GradesError(f"The grade of {where!r} must be 0, 1, a number between them, true, false or null.")


def _of_mapping(data: Mapping[str, Any]) -> Iterator[tuple[str, Exact | None]]:
    for key, value in data.items():
        yield key, read_grade(value, key)


def _of_list(data: list[Any]) -> Iterator[tuple[str, Exact | None]]:
    for number, entry in enumerate(data):
        if not isinstance(entry, dict):
            raise GradesError(f"Entry {number} of the grades is not an object.")
        key = entry.get("pointer", entry.get("id"))
        if not isinstance(key, str):
            raise GradesError(f"Entry {number} of the grades has neither id nor pointer.")
        yield key, _of_entry(entry, key)


def _of_entry(entry: Mapping[str, Any], key: str) -> Exact | None:
    status = entry.get("status")
    if status is not None and not (isinstance(status, str) and status in _STATUSES):
        raise GradesError(f"The status of {key!r} must be met, not_met or not_judged.")
    if status is None and "score" not in entry:
        raise GradesError(f"The entry of {key!r} has neither status nor score.")
    if status == "not_judged" or entry.get("score") is None:
        return None if status is None else _STATUSES[status]
    return read_grade(entry["score"], key)


def _sort_keys(pairs: Iterator[tuple[str, Exact | None]], root: Node, view: Node) -> tuple[Grades, Grades]:
    """Grades by pointer and by id. Criteria that the view leaves out may be named, too."""
    criteria = [*rubric.leaves(root), *rubric.leaves(view)]
    pointers, ids = {leaf.pointer for leaf in criteria}, {leaf.id for leaf in criteria}
    by_pointer: Grades = {}
    by_id: Grades = {}
    for key, grade in pairs:
        if key not in pointers and key not in ids:
            raise GradesError(f"The rubric has no criterion {key[:200]!r}.")
        chosen = by_pointer if key in pointers else by_id
        if key in chosen and chosen[key] != grade:
            raise GradesError(f"The criterion {key[:200]!r} is graded twice, differently.")
        chosen[key] = grade
    return by_pointer, by_id


def _of_tree(graded: Any, node: Node, wanted: Set[str]) -> Iterator[tuple[str, Exact | None]]:
    """Scores of the wanted nodes of a graded tree that has the shape and the ids of `node`."""
    children = graded.get("sub_tasks") if isinstance(graded, dict) else None
    if not isinstance(children, list) or len(children) != len(node.children) or graded.get("id") != node.id:
        raise GradesError(
            f"The graded tree differs from the rubric at node {node.id!r} ({node.pointer or 'the root'})."
        )
    if node.pointer in wanted:
        is_valid = graded.get("valid_score") is not False
        yield node.pointer, read_grade(graded.get("score"), node.id) if is_valid else None
    for child, child_node in zip(children, node.children, strict=True):
        yield from _of_tree(child, child_node, wanted)
