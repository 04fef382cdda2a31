"""Measurement, extract and check of a leaf."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from runner.domain import criterion_rules, rubric_rules
from runner.domain.criterion import ArtifactCheck, CommandCheck, InJson, InMeasurements, InTable, InText, RegexCheck


def problems_of(leaf: dict[str, Any]) -> list[str]:
    problems: list[str] = []
    criterion_rules.read_rule(leaf, problems, problems)
    return problems


def test_a_measurement_without_extract_is_looked_for_in_measurements_json(build: Any) -> None:
    measurement, check = build.rule(measurement=build.measurement("m", 92.5, 0.2))
    assert check is None
    assert (measurement.reported.text, measurement.allowed) == ("92.5", Fraction(1, 5))
    assert measurement.extract == InMeasurements()


def test_a_relative_tolerance_is_a_share_of_the_size_of_the_reported_value(build: Any) -> None:
    measurement, _ = build.rule(measurement=build.measurement("m", -0.71, {"relative": 0.05}))
    assert measurement.allowed == Fraction("0.0355")


@pytest.mark.parametrize(
    "extract,expected",
    [
        ({"file": "r.json", "json_pointer": "/a~1b/0/~0"}, InJson("r.json", "/a~1b/0/~0", ("a/b", "0", "~"))),
        ({"file": "r.json", "json_pointer": ""}, InJson("r.json", "", ())),
        ({"file": "./t.csv", "column": "f1", "row": -1}, InTable("t.csv", "f1", -1, ())),
        (
            {"file": "t.csv", "column": "f1", "where": {"model": "big"}},
            InTable("t.csv", "f1", None, (("model", "big"),)),
        ),
    ],
)
def test_extract_means_the_same_beside_and_inside_the_measurement(build: Any, extract: Any, expected: Any) -> None:
    beside, _ = build.rule(measurement=build.measurement("m", 1, 0), extract=extract)
    inside, _ = build.rule(measurement=build.measurement("m", 1, 0, extract=extract))
    assert beside.extract == inside.extract == expected


def test_a_regex_extract_reads_its_group(build: Any) -> None:
    regex = {"file": "reproduce.log", "regex": r"^acc=(\d+)$"}
    measurement, _ = build.rule(measurement=build.measurement("m", 1, 0), extract=regex)
    assert isinstance(measurement.extract, InText)
    assert measurement.extract.pattern.value_group == 1


CELL = {"file": "t.csv", "column": "f1"}


@pytest.mark.parametrize(
    "extract,named",
    [
        ([], "extract must be an object"),
        ({"column": "x", "row": 0}, "extract.file"),
        ({"file": "../t.csv", "column": "x", "row": 0}, "extract.file"),
        ({"file": "/t.csv", "column": "x", "row": 0}, "extract.file"),
        ({"file": "t.csv"}, "exactly one"),
        ({"file": "t.csv", "column": "x", "row": 0, "regex": "(a)"}, "exactly one"),
        (CELL, "either row or where"),
        ({**CELL, "row": 0, "where": {"a": "b"}}, "either row or where"),
        ({**CELL, "row": 1.0}, "extract.row"),
        ({**CELL, "row": True}, "extract.row"),
        ({**CELL, "where": {}}, "extract.where"),
        ({**CELL, "where": {"a": 1}}, "extract.where"),
        ({**CELL, "row": 0, "sheet": 1}, "'sheet'"),
        ({"file": "t.csv", "column": "", "row": 0}, "extract.column"),
        ({"file": "r.json", "json_pointer": "a"}, "json_pointer"),
        ({"file": "r.json", "json_pointer": "/a~2"}, "json_pointer"),
        ({"file": "r.json", "json_pointer": "/a", "row": 0}, "'row'"),
        ({"file": "l", "regex": "("}, "extract.regex"),
        ({"file": "l", "regex": "(?=a)"}, "extract.regex"),
        ({"file": "l", "regex": "abc"}, "group"),
    ],
)
def test_a_faulty_extract_is_a_problem_that_names_the_key(build: Any, extract: Any, named: str) -> None:
    (problem,) = problems_of(build.leaf("l", measurement=build.measurement("m", 1, 0), extract=extract))
    assert named in problem


@pytest.mark.parametrize(
    "change,named",
    [
        ({"measurementId": "M 1"}, "measurementId"),
        ({"metric": " "}, "metric"),
        ({"metric": "x" * 201}, "metric"),
        ({"unit": 5}, "unit"),
        ({"dimensions": {"a": 1}}, "dimensions"),
        ({"dimensions": None}, "dimensions"),
        ({"reportedValue": "92"}, "reportedValue"),
        ({"reportedValue": True}, "reportedValue"),
        ({"reportedValue": float("inf")}, "reportedValue"),
        ({"tolerance": -0.1}, "tolerance"),
        ({"tolerance": None}, "tolerance"),
        ({"tolerance": {"relative": -1}}, "tolerance"),
        ({"tolerance": {"relative": 0.1, "absolute": 1}}, "tolerance"),
        ({"tolerance": {"absolute": 1}}, "tolerance"),
    ],
)
def test_a_faulty_measurement_is_a_problem_that_names_the_key(build: Any, change: Any, named: str) -> None:
    (problem,) = problems_of(build.leaf("l", measurement={**build.measurement("m", 1, 0), **change}))
    assert named in problem


def test_extract_in_both_places_or_without_a_measurement_is_a_problem(build: Any) -> None:
    extract = {**CELL, "row": 0}
    assert problems_of(build.leaf("l", extract=extract)) == ["extract needs a measurement on the same leaf"]
    both = build.leaf("l", measurement=build.measurement("m", 1, 0, extract=extract), extract=extract)
    assert "not in both places" in problems_of(both)[0]


def test_an_unknown_key_of_a_measurement_is_a_warning(build: Any) -> None:
    faults, warnings = rubric_rules.check(build.leaf("l", measurement=build.measurement("m", 1, 0, source="Table 2")))
    assert faults == []
    assert [(warning.code, "source" in warning.message) for warning in warnings] == [("unknown_keys", True)]


def test_checks_have_their_defaults(build: Any) -> None:
    _, artifact = build.rule(check={"kind": "artifact", "path": "./out/*.csv"})
    assert isinstance(artifact, ArtifactCheck)
    assert (artifact.path, artifact.min_bytes, artifact.sha256, artifact.produced) == ("out/*.csv", 1, None, True)
    _, command = build.rule(check={"kind": "command", "run": ["python3", "-V"]})
    assert command == CommandCheck(("python3", "-V"), 60, 0, None)
    _, regex = build.rule(check={"kind": "regex", "file": "reproduce.log", "pattern": "^ok$"})
    assert isinstance(regex, RegexCheck)
    assert regex.min_matches == 1


def test_a_check_of_kind_measurement_is_implied(build: Any) -> None:
    measurement, check = build.rule(measurement=build.measurement("m", 1, 0), check={"kind": "measurement"})
    assert (measurement.id, check) == ("m", None)


ARTIFACT = {"kind": "artifact", "path": "x"}
COMMAND = {"kind": "command", "run": ["true"]}
REGEX = {"kind": "regex", "file": "x", "pattern": "a"}


@pytest.mark.parametrize(
    "check,named",
    [
        ("artifact", "check must be an object"),
        ({}, "check.kind"),
        ({"kind": ["artifact"]}, "check.kind"),
        ({"kind": "measurement"}, "needs a measurement"),
        ({"kind": "artifact"}, "check.path"),
        ({**ARTIFACT, "path": "../x"}, "check.path"),
        ({**ARTIFACT, "path": "[b-a]"}, "check.path"),
        ({**ARTIFACT, "min_bytes": -1}, "check.min_bytes"),
        ({**ARTIFACT, "min_bytes": True}, "check.min_bytes"),
        ({**ARTIFACT, "sha256": "abc"}, "check.sha256"),
        ({**ARTIFACT, "produced": "yes"}, "check.produced"),
        ({**ARTIFACT, "min_byte": 1}, "'min_byte'"),
        ({"kind": "command", "run": "true"}, "check.run"),
        ({"kind": "command", "run": []}, "check.run"),
        ({"kind": "command", "run": ["a", 1]}, "check.run"),
        ({"kind": "command", "run": ["a\0"]}, "check.run"),
        ({**COMMAND, "timeout_sec": 601}, "check.timeout_sec"),
        ({**COMMAND, "exit_code": 256}, "check.exit_code"),
        ({**COMMAND, "stdout_regex": "("}, "check.stdout_regex"),
        ({**REGEX, "file": "/etc/passwd"}, "check.file"),
        ({**REGEX, "pattern": "(?<!a)b"}, "check.pattern"),
        ({**REGEX, "pattern": ""}, "check.pattern"),
        ({**REGEX, "min_matches": 0}, "check.min_matches"),
    ],
)
def test_a_faulty_check_is_a_problem_that_names_the_key(build: Any, check: Any, named: str) -> None:
    (problem,) = problems_of(build.leaf("l", check=check))
    assert named in problem


def test_a_measurement_decides_its_leaf_alone(build: Any) -> None:
    (problem,) = problems_of(build.leaf("l", measurement=build.measurement("m", 1, 0), check=ARTIFACT))
    assert "only be of kind measurement" in problem
