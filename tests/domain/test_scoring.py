"""Scores, coverage and bounds."""

from __future__ import annotations

import json
import pathlib
import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import given_rubric, numbers, pruning, rubric, scoring
from runner.domain.rubric import Node


def test_the_published_cases_come_out_in_full_and_code_only(shared_data: pathlib.Path) -> None:
    data = shared_data / "paperbench-data"
    roots: dict[str, Node] = {}
    for case in json.loads((data / "score_cases.json").read_text()):
        file = case["rubric_file"]
        root = roots.setdefault(file, roots.get(file) or given_rubric.read((data / file).read_bytes()).root)
        passed = set(case["passed_leaf_ids"])
        grades = {leaf.pointer: int(leaf.id in passed) for leaf in rubric.leaves(root)}
        full = scoring.score(root, grades)
        assert float(full.root.low) == pytest.approx(case["expected_root_score"], abs=6e-7), case["case_id"]
        assert full.root.final == full.root.raw == full.root.low == full.root.high
        assert sum(full.shares.values()) == 1
        code = pruning.view(root, code_only=True)
        assert float(scoring.score(code, grades).root.low) == pytest.approx(case["expected_code_only_score"], abs=6e-7)
        assert (len(grades), len(rubric.leaves(code))) == (case["num_leaves"], case["num_code_only_leaves"])


def test_the_contracts_figures_for_twenty_unjudged_leaves_of_rice(shared_data: pathlib.Path) -> None:
    body = (shared_data / "paperbench-data" / "papers" / "rice" / "rubric.json").read_bytes()
    root = given_rubric.read(body).root
    grades = {leaf.pointer: None if n % 18 == 3 else int(n % 2 == 0) for n, leaf in enumerate(rubric.leaves(root))}
    assert list(grades.values()).count(None) == 20
    score = scoring.score(root, grades).root
    assert [round(float(each), 6) for each in (score.low, score.high, score.raw or 0)] == [0.500597, 0.647005, 0.578743]


def test_not_judged_is_not_zero(build: Any) -> None:
    """The worked example of the contract: a (weight 1, met), b (3, judge failed), c (0, not met)."""
    root = build.tree(build.node("r", [build.leaf("a", 1), build.leaf("b", 3), build.leaf("c", 0)]))
    score = scoring.score(root, {"/sub_tasks/0": 1, "/sub_tasks/2": 0}).root
    assert (score.coverage, score.low, score.high) == (Fraction(1, 4), Fraction(1, 4), 1)
    assert (score.final, score.raw, score.valid) == (None, 1, False)


def test_nothing_judged_has_no_score_and_every_score_is_possible(build: Any) -> None:
    score = scoring.score(build.tree(build.leaf("a")), {}).root
    assert (score.final, score.raw, score.coverage, score.low, score.high) == (None, None, 0, 0, 1)


def test_raw_score_renormalises_locally(build: Any) -> None:
    left, right = build.node("x", [build.leaf("a"), build.leaf("b")], 1), build.node("y", [build.leaf("c")], 2)
    root = build.tree(build.node("r", [left, right]))
    assert scoring.raw_score(root, {"/sub_tasks/0/sub_tasks/0": 1}) == 1
    assert scoring.raw_score(root, {"/sub_tasks/0/sub_tasks/0": 1, "/sub_tasks/1/sub_tasks/0": 0}) == Fraction(1, 3)


def test_a_leaf_of_no_share_affects_validity_but_not_coverage(build: Any) -> None:
    root = build.tree(build.node("r", [build.leaf("a", 1), build.leaf("b", 0)]))
    score = scoring.score(root, {"/sub_tasks/0": 1}).root
    assert (score.coverage, score.final, score.valid) == (1, 1, False)
    only_weightless = scoring.score(root, {"/sub_tasks/1": 1}).root
    assert (only_weightless.coverage, only_weightless.raw) == (0, None)


def test_one_unjudged_leaf_marks_all_its_ancestors(build: Any) -> None:
    root = build.tree(build.node("r", [build.node("x", [build.leaf("a"), build.leaf("b")]), build.leaf("c")]))
    card = scoring.score(root, {"/sub_tasks/0/sub_tasks/0": 1, "/sub_tasks/1": 1})
    assert {pointer: each.valid for pointer, each in card.nodes.items()} == {
        "": False,
        "/sub_tasks/0": False,
        "/sub_tasks/0/sub_tasks/0": True,
        "/sub_tasks/0/sub_tasks/1": False,
        "/sub_tasks/1": True,
    }


def test_a_node_that_pruning_left_without_weight_does_not_count(build: Any) -> None:
    code = "Code Development"
    left = build.node("x", [build.leaf("a", 0, code), build.leaf("b", 1)])
    root = build.tree(build.node("r", [left, build.leaf("c", 1, code)]))
    card = scoring.score(pruning.view(root, code_only=True), {"/sub_tasks/1": 1})
    assert card.root.final == 1
    assert card.shares == {"/sub_tasks/0/sub_tasks/0": 0, "/sub_tasks/1": 1}


def test_decimal_weights_are_exact(build: Any) -> None:
    root = build.tree(build.node("r", [build.leaf("a", 0.1), build.leaf("b", 0.2)]))
    assert scoring.score(root, {"/sub_tasks/0": 1, "/sub_tasks/1": 0}).root.final == Fraction(1, 3)


def test_a_mean_of_several_runs_counts_exactly(build: Any) -> None:
    assert scoring.score(build.tree(build.leaf("a")), {"": Fraction(2, 3)}).root.final == Fraction(2, 3)


TREES: st.SearchStrategy[Any] = st.recursive(
    st.just([]),
    lambda below: st.lists(st.tuples(st.integers(0, 5) | st.floats(0.001, 9), below), min_size=1, max_size=4),
)


def as_json(children: list[Any], weight: float = 1) -> dict[str, Any]:
    """Sibling groups without any weight get a last child of weight 1."""
    if children and not any(weight for weight, _ in children):
        children = [*children, (1, [])]
    below = [as_json(grandchildren, weight) for weight, grandchildren in children]
    category = {} if below else {"task_category": "Code Execution"}
    return {"id": "n", "requirements": "x", "weight": weight, "sub_tasks": below, **category}


@given(TREES, st.randoms(use_true_random=False))
def test_scores_agree_with_the_definition_and_order_of_siblings_changes_nothing(
    tree: Any, chance: random.Random
) -> None:
    root = rubric.load(as_json(tree))
    grades = {leaf.pointer: chance.choice([0, 1, None]) for leaf in rubric.leaves(root)}
    card = scoring.score(root, grades)
    shares = dict(expected_shares(root, Fraction(1)))
    assert card.shares == shares
    judged = {pointer: grade for pointer, grade in grades.items() if grade is not None}
    assert card.root.coverage == sum(shares[pointer] for pointer in judged)
    assert card.root.low == sum(shares[pointer] * grade for pointer, grade in judged.items())
    assert 0 <= card.root.low <= card.root.high <= 1
    mirrored, mirrored_grades = mirror(root, grades)
    other = scoring.score(mirrored, mirrored_grades).root
    assert (other.low, other.coverage, other.raw, other.valid) == (
        *(card.root.low, card.root.coverage, card.root.raw),
        card.root.valid,
    )


def expected_shares(node: Node, share: Fraction) -> Any:
    if node.is_leaf:
        yield node.pointer, share
    total = sum(child.weight for child in node.children)
    for child in node.children:
        yield from expected_shares(child, share * child.weight / total)


def mirror(root: Node, grades: dict[str, int | None]) -> tuple[Node, dict[str, int | None]]:
    """The tree with every sibling group reversed, and the grades of the moved leaves in their new places."""

    def flip(node: Node) -> dict[str, Any]:
        below = [flip(child) for child in reversed(node.children)]
        return {**node.raw, "weight": node.raw["weight"], "sub_tasks": below, "was": node.pointer}

    mirrored = rubric.load(flip(root))
    return mirrored, {leaf.pointer: grades[leaf.raw["was"]] for leaf in rubric.leaves(mirrored)}


def test_weights_made_to_blow_up_fractions_stay_fast_and_right() -> None:
    chance = random.Random(1)

    def grow(depth: int) -> list[Any]:
        return [
            (chance.uniform(1, 9) * 10.0 ** chance.randint(-300, 300), grow(depth - 1)) for _ in range(2 * (depth > 0))
        ]

    root = rubric.load(as_json(grow(11)))
    card = scoring.score(root, {leaf.pointer: 1 for leaf in rubric.leaves(root)})
    assert (card.root.final, numbers.plain(sum(card.shares.values()))) == (1, 1)
    half = scoring.score(root, {leaf.pointer: number % 2 for number, leaf in enumerate(rubric.leaves(root))}).root
    assert 0 < half.low < 1
    assert half.coverage == 1
