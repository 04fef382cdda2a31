"""Rubrics that people send, the real ones among them."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from runner.domain import given_rubric, rubric, rubric_hash
from runner.domain.errors import Invalid, Malformed

LEAVES = {"pinn": 1963, "rice": 361, "bbox": 279, "semantic-self-consistency": 77, "what-will-my-model-forget": 921}


def test_every_real_rubric_is_accepted_and_comes_out_unchanged(shared_data: pathlib.Path) -> None:
    data = shared_data / "paperbench-data"
    files = [*data.glob("papers/*/rubric.json"), *data.glob("old_format/*.json")]
    assert len(files) == 25
    for file in files:
        given = given_rubric.read(file.read_bytes())
        assert rubric_hash.with_flags(given.tree, given.flags) == json.loads(file.read_bytes())
        repeats = file.parent.name in ("bbox", "bridging-data-gaps")
        assert ("duplicate_ids" in [warning.code for warning in given.warnings]) == repeats
        assert given.leaves_count == LEAVES.get(file.parent.name, given.leaves_count) == sum(given.categories.values())


def test_a_graded_tree_is_a_rubric_without_its_grades(shared_data: pathlib.Path) -> None:
    for file in (shared_data / "paperbench-data" / "judge_eval").glob("*/0/grading/expected_result.json"):
        given = given_rubric.read(file.read_bytes())
        assert "grades_dropped" in [warning.code for warning in given.warnings]
        assert all(
            not {"score", "valid_score", "explanation", "judge_metadata"} & set(n.raw) for n in rubric.walk(given.root)
        )


def test_an_envelope_is_taken_apart(build: Any) -> None:
    envelope = {"reprise": 1, "paper_sha256": "a" * 64, "rubric": build.leaf("a", flags=["bundled"])}
    given = given_rubric.accept(envelope)
    assert given.tree == build.leaf("a")
    assert given.flags == {"": ["bundled"]}
    assert given.envelope == {"reprise": 1, "paper_sha256": "a" * 64}
    assert given.sha256 == given_rubric.accept(build.leaf("a")).sha256


def test_a_refusal_lists_every_fault_and_says_how_many(build: Any) -> None:
    with pytest.raises(Invalid) as refused:
        given_rubric.accept(build.node("r", [build.leaf("a", -1), build.leaf("b", -1), build.leaf("c", -1)]))
    assert refused.value.code == "rubric_invalid"
    assert [fault.field for fault in refused.value.details] == ["a", "b", "c"]
    assert "'a'" in refused.value.message
    assert "2 more faults" in refused.value.message


@pytest.mark.parametrize(
    "weight,kind", [("NaN", Malformed), ("Infinity", Malformed), ("1e400", Invalid), ("-1", Invalid)]
)
def test_a_weight_that_is_no_number_is_refused(weight: str, kind: type[Exception]) -> None:
    leaf = {"id": "a", "requirements": "x", "weight": "W", "sub_tasks": [], "task_category": "Code Execution"}
    with pytest.raises(kind):
        given_rubric.read(json.dumps(leaf).replace('"W"', weight).encode())


def test_a_key_given_twice_makes_the_rubric_invalid() -> None:
    with pytest.raises(Invalid) as refused:
        given_rubric.read(b'{"id": "a", "id": "b"}')
    assert refused.value.code == "rubric_invalid"
