"""Grades in all their forms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from runner.domain import grades, pruning
from runner.domain.grades import GradesError


@pytest.fixture
def root(build: Any) -> Any:
    return build.tree(build.node("r", [build.leaf("a", category="Code Development"), build.leaf("b"), build.leaf("b")]))


def graded(build: Any, *scores: Any, **more: Any) -> dict[str, Any]:
    leaves = [{**build.leaf(name), "score": score, **more} for name, score in zip("abb", scores, strict=True)]
    tree: dict[str, Any] = build.node("r", leaves, score=1.0000000000000002)
    return tree


def test_all_forms_say_the_same(build: Any, root: Any) -> None:
    forms = [
        {"a": 1, "b": 0},
        {"a": True, "b": False},
        {"/sub_tasks/0": 1.0, "b": 0.0},
        [{"id": "a", "status": "met"}, {"id": "b", "status": "not_met"}],
        [
            {"id": "a", "score": 1},
            {"pointer": "/sub_tasks/1", "id": "b", "score": 0},
            {"pointer": "/sub_tasks/2", "score": 0},
        ],
        graded(build, 1, 0.0, False),
        {"reprise": 1, "rubric": graded(build, 1, 0, 0)},
    ]
    for form in forms:
        assert grades.read(form, root, root) == {"/sub_tasks/0": 1, "/sub_tasks/1": 0, "/sub_tasks/2": 0}


def test_a_pointer_wins_over_an_id_and_an_id_means_every_such_leaf(root: Any) -> None:
    assert grades.read({"/sub_tasks/1": 1, "b": 0}, root, root) == {
        "/sub_tasks/0": None,
        "/sub_tasks/1": 1,
        "/sub_tasks/2": 0,
    }
    assert grades.read({"b": 0, "/sub_tasks/1": None}, root, root)["/sub_tasks/1"] is None


@pytest.mark.parametrize("entry", [{"status": "not_judged"}, {"score": None}, {"status": "not_judged", "score": 1}])
def test_not_judged_can_be_said_in_several_ways(entry: dict[str, Any], root: Any) -> None:
    assert grades.read([{"id": "a", **entry}], root, root)["/sub_tasks/0"] is None


def test_an_invalid_score_of_a_graded_tree_is_not_judged(build: Any, root: Any) -> None:
    assert set(grades.read(graded(build, 1, 1, 1, valid_score=False), root, root).values()) == {None}


def test_numbers_are_exact(root: Any) -> None:
    assert grades.read({"a": 0.1}, root, root)["/sub_tasks/0"] == Fraction(1, 10)


def test_leaves_that_a_view_leaves_out_may_be_graded_and_subtrees_can_be(root: Any) -> None:
    code = pruning.view(root, code_only=True)
    assert grades.read({"a": 1, "b": 0}, root, code) == {"/sub_tasks/0": 1}
    whole = pruning.view(root, max_depth=1)
    assert grades.read({"r": 0.5}, root, whole) == grades.read({"": 0.5}, root, whole) == {"": Fraction(1, 2)}


def test_a_depth_cut_reads_the_score_of_an_inner_node(build: Any, root: Any) -> None:
    tree = {**graded(build, 1, 0, 0), "score": 0.25}
    assert grades.read(tree, root, pruning.view(root, max_depth=1)) == {"": Fraction(1, 4)}


@pytest.mark.parametrize(
    "data,named",
    [
        (5, "object, a list or a graded tree"),
        ({"nope": 1}, "nope"),
        ({"r": 1}, "'r'"),
        ({"": 1}, "no criterion ''"),
        ({"/sub_tasks/9": 1}, "/sub_tasks/9"),
        ({"a": 2}, "'a'"),
        ({"a": -0.1}, "'a'"),
        ({"a": "met"}, "'a'"),
        ({"a": float("inf")}, "'a'"),
        ([5], "Entry 0"),
        ([{"status": "met"}], "Entry 0"),
        ([{"id": "a"}], "neither status nor score"),
        ([{"id": "a", "status": "passed"}], "status of 'a'"),
        ([{"id": "a", "status": ["met"]}], "status of 'a'"),
        ([{"id": "a", "score": 1}, {"id": "a", "score": 0}], "twice"),
        ({"id": "r", "sub_tasks": []}, "differs from the rubric"),
        ({"id": "r", "sub_tasks": [1, 2, 3]}, "differs from the rubric"),
        ({"id": "other", "sub_tasks": [{}, {}, {}]}, "differs from the rubric"),
    ],
)
def test_what_is_no_grade_is_refused_by_name(data: Any, named: str, root: Any) -> None:
    with pytest.raises(GradesError, match=named):
        grades.read(data, root, root)
