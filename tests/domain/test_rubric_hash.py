"""What identifies a rubric."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from runner.domain import rubric_hash


def test_the_hash_is_over_the_canonical_form(build: Any) -> None:
    leaf = build.leaf("a", 1.0)
    canonical = (
        '{"id":"a","requirements":"a holds.","sub_tasks":[],"task_category":"Result Analysis","weight":1}'  # RFC 8785
    )
    assert rubric_hash.sha256(leaf) == hashlib.sha256(canonical.encode()).hexdigest()


def test_order_of_keys_kind_of_number_and_flags_do_not_matter(build: Any) -> None:
    tree = build.node("r", [build.leaf("a", 2), build.leaf("b")])
    other = build.node("r", [build.leaf("a", 2.0, flags=["bundled"]), build.leaf("b", flags=[])])
    shuffled = dict(reversed(other.items()))
    assert rubric_hash.sha256(tree) == rubric_hash.sha256(shuffled)


@pytest.mark.parametrize("change", [{"weight": 2}, {"requirements": "Other."}, {"note": 1}, {"claim": {"id": "c"}}])
def test_everything_else_matters(build: Any, change: dict[str, Any]) -> None:
    assert rubric_hash.sha256({**build.leaf("a"), **change}) != rubric_hash.sha256(build.leaf("a"))


def test_flags_stand_beside_the_tree_and_go_back_to_their_nodes(build: Any) -> None:
    tree = build.node("r", [build.leaf("a", flags=[]), build.node("n", [build.leaf("b", flags=["duplicate"])])])
    bare, flags = rubric_hash.split_flags(tree)
    assert flags == {"/sub_tasks/0": [], "/sub_tasks/1/sub_tasks/0": ["duplicate"]}
    assert "flags" not in json.dumps(bare)
    assert rubric_hash.with_flags(bare, flags) == tree


def test_an_integer_beyond_the_doubles_still_has_a_canonical_form() -> None:
    assert rubric_hash.canonical({"a": [10**20, True]}) == b'{"a":[100000000000000000000,true]}'
