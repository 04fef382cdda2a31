"""What a rubric must be: every fault has its code, and all are told at once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runner.domain import given_rubric, rubric, rubric_hash, rubric_rules, scoring
from runner.domain.errors import Fault, Invalid


def faults_of(data: Any) -> list[Fault]:
    return rubric_rules.check(data)[0]


def codes_of(data: Any) -> list[str]:
    return [fault.code for fault in faults_of(data)]


def warnings_of(data: Any) -> dict[str, str]:
    faults, warnings = rubric_rules.check(data)
    assert faults == []
    return {warning.code: warning.message for warning in warnings}


@pytest.mark.parametrize("key", ["id", "requirements", "weight", "sub_tasks"])
def test_a_required_key_must_be_there(build: Any, key: str) -> None:
    leaf = build.leaf("culprit")
    del leaf[key]
    (fault,) = faults_of(build.node("r", [leaf]))
    assert fault.code == "missing_field"
    assert "/sub_tasks/0" in fault.message


@pytest.mark.parametrize(
    "key,value,code",
    [
        ("id", "", "missing_field"),
        ("id", None, "missing_field"),
        ("id", 5, "field_invalid"),
        ("id", "a\nb", "field_invalid"),
        ("id", "x" * 201, "field_invalid"),
        ("id", "\ud800", "field_invalid"),
        ("requirements", "  ", "missing_field"),
        ("requirements", ["x"], "field_invalid"),
        ("requirements", "x" * 20_001, "field_invalid"),
        ("requirements", "a\0b", "field_invalid"),
        ("requirements", "\udfff", "field_invalid"),
        ("weight", -1, "weight_invalid"),
        ("weight", True, "weight_invalid"),
        ("weight", "2", "weight_invalid"),
        ("weight", None, "weight_invalid"),
        ("weight", float("nan"), "weight_invalid"),
        ("weight", float("inf"), "weight_invalid"),
        ("weight", 10**400, "weight_invalid"),
        ("sub_tasks", {}, "field_invalid"),
        ("sub_tasks", None, "field_invalid"),
        ("task_category", None, "leaf_without_category"),
        ("task_category", "Result Match", "category_unknown"),
        ("task_category", "Subtree", "category_unknown"),
        ("task_category", ["Code Development"], "category_unknown"),
        ("finegrained_task_category", "Cooking", "category_unknown"),
        ("flags", ["unknown"], "flags_invalid"),
        ("flags", "duplicate", "flags_invalid"),
        ("rationale_from_paper", {"section": "4"}, "rationale_invalid"),
        ("claim", "c", "claim_invalid"),
        ("claim", {"id": "C 1", "text": "x", "kind": "empirical"}, "claim_id_invalid"),
        ("claim", {"id": "c", "text": "", "kind": "empirical"}, "claim_invalid"),
        ("claim", {"id": "c", "text": "x", "kind": ["empirical"]}, "claim_invalid"),
        ("measurement", {"measurementId": "m"}, "measurement_invalid"),
        ("extract", {"file": "x", "column": "y", "row": 0}, "measurement_invalid"),
        ("check", {"kind": "guess"}, "check_invalid"),
        ("note", "a\0b", "field_invalid"),
        ("note", [{"deep": ["\ud800"]}], "field_invalid"),
        ("note", float("inf"), "field_invalid"),
    ],
)
def test_a_faulty_leaf_is_refused_naming_node_and_place(build: Any, key: str, value: Any, code: str) -> None:
    data = build.node("r", [build.leaf("fine"), {**build.leaf("culprit"), key: value}])
    found = faults_of(data)
    assert {fault.code for fault in found} == {code}
    assert all("/sub_tasks/1" in fault.message for fault in found)
    assert key == "id" or {fault.field for fault in found} == {"culprit"}


@pytest.mark.parametrize(
    "key,value,code",
    [
        ("task_category", "Code Execution", "inner_with_category"),
        ("finegrained_task_category", "Method Implementation", "inner_with_category"),
        ("measurement", {}, "measurement_invalid"),
        ("extract", {}, "measurement_invalid"),
        ("check", {"kind": "artifact", "path": "x"}, "check_invalid"),
        ("flags", ["duplicate"], "flags_invalid"),
        ("flags", [], "flags_invalid"),
    ],
)
def test_keys_of_leaves_are_refused_on_inner_nodes(build: Any, key: str, value: Any, code: str) -> None:
    assert codes_of(build.node("r", [build.leaf("a")], **{key: value})) == [code]


def test_a_sibling_group_without_any_weight_is_refused_at_its_parent(build: Any) -> None:
    (fault,) = faults_of(build.node("r", [build.node("p", [build.leaf("a", 0), build.leaf("b", 0.0)])]))
    assert (fault.field, fault.code) == ("p", "weights_all_zero")


def test_claim_and_measurement_ids_are_unique_and_claims_do_not_nest(build: Any) -> None:
    twice = [build.measured_leaf("m", 1, 0), build.measured_leaf("m", 2, 0)]
    assert codes_of(build.node("r", twice)) == ["duplicate_id"]
    claims = [build.leaf("a", claim=build.claim("c")), build.leaf("b", claim=build.claim("c"))]
    assert codes_of(build.node("r", claims)) == ["duplicate_id"]
    assert codes_of(build.node("r", [build.leaf("a", claim=build.claim("d"))], claim=build.claim("c"))) == [
        "claim_nested"
    ]


def test_all_faults_are_told_at_once(build: Any) -> None:
    bad = {**build.leaf("bad", -1), "task_category": "Cooking", "requirements": ""}
    data = build.node("r", [bad, 7, build.leaf("m", measurement={"tolerance": -1})], task_category="Code Execution")
    assert sorted(codes_of(data)) == sorted(
        ["weight_invalid", "category_unknown", "missing_field", "field_invalid", "inner_with_category"]
        + ["measurement_invalid"] * 4
    )


def test_depth_32_is_the_last_one_and_depth_10_000_costs_nothing(build: Any) -> None:
    def chain(levels: int) -> dict[str, Any]:
        data: dict[str, Any] = build.leaf("end")
        for _ in range(levels - 1):
            data = build.node("n", [data])
        return data

    assert codes_of(chain(32)) == []
    assert codes_of(chain(33)) == ["too_deep"]
    assert codes_of(chain(10_000)) == ["too_deep"]


def test_an_unknown_key_may_not_be_nested_without_end(build: Any) -> None:
    deep: Any = 1
    for _ in range(10_000):
        deep = [deep]
    assert codes_of(build.leaf("a", note=deep)) == ["too_deep"]


def test_twenty_thousand_nodes_are_the_most(build: Any) -> None:
    leaves = [build.leaf(str(n)) for n in range(19_999)]
    assert codes_of(build.node("r", leaves)) == []
    assert codes_of(build.node("r", [*leaves, build.leaf("x"), build.leaf("y")])) == ["too_many_nodes"]


def test_what_is_merely_odd_is_a_warning(build: Any) -> None:
    data = build.node("r", [build.node("p", [build.leaf("same", 0), build.leaf("same")])], note=1, score=0.5)
    data["sub_tasks"][0]["sub_tasks"][1]["reviewer_note"] = {"by": "someone"}
    found = warnings_of(data)
    assert list(found) == ["duplicate_ids", "zero_weight", "unknown_keys", "single_child", "grades_dropped"]
    assert "same" in found["duplicate_ids"]
    assert "note, reviewer_note" in found["unknown_keys"]
    assert found["single_child"].endswith(": r.")


def test_a_long_list_of_names_is_cut_in_a_warning(build: Any) -> None:
    data = build.node("r", [build.leaf("x", 0) for _ in range(50)] + [build.leaf("y")])
    assert warnings_of(data)["zero_weight"].endswith(" and 30 more.")


def test_null_stands_for_an_absent_optional_key(build: Any) -> None:
    nothing = {"claim": None, "measurement": None, "extract": None, "check": None, "rationale_from_paper": None}
    assert warnings_of(build.leaf("a", finegrained_task_category=None, **nothing)) == {}


@pytest.mark.parametrize("data", [None, [], "x", 5, True, {}, {"rubric": None}, {"rubric": [], "sub_tasks": []}, [{}]])
def test_what_is_no_rubric_at_all_is_a_fault_not_a_crash(data: Any) -> None:
    assert faults_of(data)


KEYS = sorted(rubric_rules.KNOWN_KEYS | {"rubric", "reprise", "generator", "reproduce_contract", "score", "x"})
VALUES = st.sampled_from([*rubric.CATEGORIES, "artifact", "command", "regex", "measurement", "m", "out/x.csv", "(a)"])
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | VALUES
INNER_KEYS = ["measurementId", "metric", "unit", "dimensions", "reportedValue", "tolerance", "relative", "file", "row"]
INNER_KEYS += [
    "json_pointer",
    "column",
    "where",
    "regex",
    "kind",
    "path",
    "min_bytes",
    "sha256",
    "run",
    "pattern",
    "id",
]
JSON = st.recursive(
    SCALARS,
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(st.sampled_from(KEYS + INNER_KEYS) | st.text(max_size=3), below, max_size=8)
    ),
    max_leaves=30,
)


@given(JSON)
@settings(max_examples=400)
def test_any_json_is_told_its_faults_or_is_a_rubric(data: Any) -> None:
    faults, _ = rubric_rules.check(data)
    if faults:
        with pytest.raises(Invalid):
            given_rubric.accept(data)
    else:
        assert scoring.score(given_rubric.accept(data).root, {}).root.coverage == 0


@st.composite
def leaf_json(draw: st.DrawFn) -> dict[str, Any]:
    """A leaf that is nearly right, with one key replaced by anything."""
    leaf: dict[str, Any] = {
        "id": "a",
        "requirements": "x",
        "weight": draw(st.integers(0, 3) | st.floats(0, 5)),
        "sub_tasks": [],
    }
    leaf["task_category"] = draw(st.sampled_from(rubric.CATEGORIES))
    if draw(st.booleans()):
        leaf[draw(st.sampled_from(KEYS))] = draw(JSON)
    return leaf


TREES = st.recursive(
    leaf_json(),
    lambda below: st.builds(
        lambda children, weight: {"id": "n", "requirements": "y", "weight": weight, "sub_tasks": children},
        st.lists(below, min_size=1, max_size=4),
        st.integers(0, 3),
    ),
    max_leaves=12,
)


@given(TREES)
@settings(max_examples=400)
def test_an_accepted_tree_comes_out_as_it_came_in(data: dict[str, Any]) -> None:
    faults, warnings = rubric_rules.check(data)
    if not faults and "grades_dropped" not in {warning.code for warning in warnings} and "rubric" not in data:
        given = given_rubric.accept(data)
        assert rubric_hash.with_flags(given.tree, given.flags) == data
        assert scoring.score(given.root, {leaf.pointer: 1 for leaf in rubric.leaves(given.root)}).root.low == 1
