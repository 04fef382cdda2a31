"""What may stand around a rubric."""

from __future__ import annotations

from typing import Any

import pytest

from runner.domain import rubric_rules

GENERATOR = {"model": "m", "prompt_sha256": "0" * 64, "generated_at": "2026-05-13T05:57:00Z", "temperature": 0}


def found(build: Any, **keys: Any) -> list[tuple[str, str]]:
    envelope = {"reprise": 1, "rubric": build.leaf("a"), **keys}
    return [(fault.field, fault.code) for fault in rubric_rules.check(envelope)[0]]


def test_a_full_envelope_is_accepted(build: Any) -> None:
    contract = {
        "script_path": "reproduce.sh",
        "max_runtime_sec": 3600,
        "expected_artifacts": ["out/", "out/*.csv", "model.bin"],
        "execution_profile": {"kind": "mpi", "nodes": 2, "exclusive": True, "gpu_type": "", "module_loads": ["gcc/12"]},
    }
    generator = {**GENERATOR, "seed": 1, "template": "sc"}
    assert found(build, paper_sha256="a" * 64, generator=generator, reproduce_contract=contract) == []
    assert found(build, paper_sha256=None, generator=None, reproduce_contract={}) == []


@pytest.mark.parametrize(
    "keys,expected",
    [
        ({"reprise": 2}, ("reprise", "field_invalid")),
        ({"reprise": True}, ("reprise", "field_invalid")),
        ({"sub_tasks": []}, ("sub_tasks", "unknown_field")),
        ({"paper_sha256": "abc"}, ("paper_sha256", "field_invalid")),
        ({"generator": []}, ("generator", "field_invalid")),
        ({"generator": {**GENERATOR, "key": 1}}, ("generator.key", "unknown_field")),
        ({"generator": {**GENERATOR, "seed": 1.5}}, ("generator.seed", "field_invalid")),
        ({"reproduce_contract": {"script_path": "run.sh"}}, ("reproduce_contract.script_path", "field_invalid")),
        ({"reproduce_contract": {"max_runtime_sec": 0}}, ("reproduce_contract.max_runtime_sec", "field_invalid")),
        (
            {"reproduce_contract": {"expected_artifacts": ["../x"]}},
            ("reproduce_contract.expected_artifacts", "field_invalid"),
        ),
        (
            {"reproduce_contract": {"expected_artifacts": "x"}},
            ("reproduce_contract.expected_artifacts", "field_invalid"),
        ),
        (
            {"reproduce_contract": {"execution_profile": {"account": "a"}}},
            ("reproduce_contract.execution_profile.account", "unknown_field"),
        ),
        (
            {"reproduce_contract": {"execution_profile": {"kind": "gpu"}}},
            ("reproduce_contract.execution_profile.kind", "field_invalid"),
        ),
        (
            {"reproduce_contract": {"execution_profile": {"nodes": [1]}}},
            ("reproduce_contract.execution_profile.nodes", "field_invalid"),
        ),
    ],
)
def test_a_faulty_envelope_names_the_field(build: Any, keys: dict[str, Any], expected: tuple[str, str]) -> None:
    assert found(build, **keys) == [expected]


def test_the_envelope_says_its_version_and_its_generator_who_wrote_it(build: Any) -> None:
    faults, _ = rubric_rules.check({"rubric": build.leaf("a"), "generator": {}})
    missing = [fault.field for fault in faults if fault.code == "missing_field"]
    assert missing == ["reprise", "generator.model", "generator.prompt_sha256", "generator.generated_at"]


def test_faults_of_envelope_and_tree_are_told_together(build: Any) -> None:
    assert found(build, rubric=build.leaf("a", -1), x=1) == [("x", "unknown_field"), ("a", "weight_invalid")]


def test_a_generated_rubric_cannot_bring_commands(build: Any) -> None:
    leaf = build.leaf("a", check={"kind": "command", "run": ["true"]})
    assert found(build, rubric=leaf) == []
    assert found(build, rubric=leaf, generator=GENERATOR) == [("a", "check_not_allowed")]
