"""Views of a rubric."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from runner.domain import given_rubric, pruning, rubric, scoring
from runner.domain.errors import Invalid

CODE = "Code Development"
DATA = "Dataset and Model Acquisition"


def test_other_leaves_go_and_then_childless_nodes(build: Any) -> None:
    left = build.node("x", [build.leaf("a", 1, CODE), build.leaf("b", 3)])
    root = build.tree(build.node("r", [left, build.node("y", [build.leaf("c")]), build.leaf("d", 2, CODE)]))
    view = pruning.view(root, code_only=True)
    assert [node.id for node in rubric.walk(view)] == ["r", "x", "a", "d"]
    assert [leaf.pointer for leaf in rubric.leaves(view)] == ["/sub_tasks/0/sub_tasks/0", "/sub_tasks/2"]
    assert [node.id for node in rubric.walk(root)] == ["r", "x", "a", "b", "y", "c", "d"]


def test_a_full_mark_stays_reachable_on_every_real_rubric(shared_data: pathlib.Path) -> None:
    for file in (shared_data / "paperbench-data" / "papers").glob("*/rubric.json"):
        root = given_rubric.read(file.read_bytes()).root
        for flags in (
            {"code_only": True},
            {"resources_provided": True},
            {"code_only": True, "resources_provided": True},
        ):
            view = pruning.view(root, **flags)
            card = scoring.score(view, {leaf.pointer: 1 for leaf in rubric.leaves(view)})
            assert card.root.final == 1
            assert sum(card.shares.values()) == 1


def test_provided_resources_are_not_graded(build: Any) -> None:
    leaves = [build.leaf("a", finegrained_task_category=DATA), build.leaf("b")]
    view = pruning.view(build.tree(build.node("r", leaves)), resources_provided=True)
    assert [leaf.id for leaf in rubric.leaves(view)] == ["b"]


def test_a_rubric_with_nothing_left_to_grade_is_refused(build: Any) -> None:
    weightless = build.node("r", [build.leaf("a", 0, CODE), build.leaf("b")])
    for data in (build.leaf("a"), build.node("r", [build.leaf("a")]), weightless):
        with pytest.raises(Invalid) as refused:
            pruning.view(build.tree(data), code_only=True)
        assert refused.value.code == "rubric_nothing_to_grade"


def test_a_depth_cut_makes_one_criterion_of_a_subtree(build: Any) -> None:
    inner = build.node("x", [build.leaf("a", 2), build.node("y", [build.leaf("b", 0.5)])])
    root = build.tree(build.node("r", [inner, build.leaf("c")]))
    subtree, leaf = rubric.leaves(pruning.view(root, max_depth=2))
    assert (subtree.id, subtree.pointer, subtree.task_category, subtree.has_rule) == (
        "x",
        "/sub_tasks/0",
        "Subtree",
        False,
    )
    assert subtree.requirements.splitlines() == [
        "All of x.",
        "  - (weight 2) a holds.",
        "  - (weight 1) All of y.",
        "    - (weight 0.5) b holds.",
    ]
    assert (leaf.id, leaf.task_category) == ("c", "Result Analysis")


def test_depth_one_is_the_root_alone_and_a_deep_limit_changes_nothing(build: Any) -> None:
    root = build.tree(build.node("r", [build.leaf("a")]))
    assert [leaf.pointer for leaf in rubric.leaves(pruning.view(root, max_depth=1))] == [""]
    assert pruning.view(root, max_depth=32) == root


def test_the_stored_json_is_never_touched(shared_data: pathlib.Path) -> None:
    body = (shared_data / "paperbench-data" / "papers" / "fre" / "rubric.json").read_bytes()
    given = given_rubric.read(body)
    pruning.view(given.root, code_only=True, max_depth=3)
    assert given.tree == json.loads(body)
