"""The tree of nodes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from runner.domain import rubric


def test_nodes_know_their_place_and_their_ancestors(build: Any) -> None:
    root = build.tree(build.node("r", [build.leaf("a"), build.node("n", [build.leaf("b", 0.1)])]))
    assert [(n.pointer, n.path) for n in rubric.walk(root)] == [
        ("", ()),
        ("/sub_tasks/0", ("r",)),
        ("/sub_tasks/1", ("r",)),
        ("/sub_tasks/1/sub_tasks/0", ("r", "n")),
    ]
    assert [leaf.id for leaf in rubric.leaves(root)] == ["a", "b"]
    assert rubric.leaves(root)[1].weight == Fraction(1, 10)


def test_leaves_are_counted_by_category(build: Any) -> None:
    root = build.tree(build.node("r", [build.leaf("a"), build.leaf("b", category="Code Development"), build.leaf("c")]))
    assert rubric.count_categories(root) == {"Code Development": 1, "Code Execution": 0, "Result Analysis": 2}


def test_a_leaf_with_a_measurement_or_check_has_a_rule(build: Any) -> None:
    check = {"kind": "artifact", "path": "x"}
    root = build.tree(build.node("r", [build.leaf("a"), build.measured_leaf("m", 1, 0), build.leaf("c", check=check)]))
    assert [leaf.has_rule for leaf in rubric.leaves(root)] == [False, True, True]


def test_a_single_leaf_is_a_rubric(build: Any) -> None:
    assert rubric.leaves(build.tree(build.leaf("a")))[0].is_leaf
