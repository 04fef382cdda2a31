"""Comparing reported and observed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import measurement, numbers
from runner.domain.criterion import InMeasurements, Measurement, Tolerance
from runner.domain.executed_tree import MemoryTree
from runner.domain.measurement import Measured
from runner.domain.sources import Sources


def rule(reported: float, tolerance: float, is_relative: bool = False) -> Measurement:
    limit = Tolerance(numbers.of_json(tolerance), is_relative)
    return Measurement("m", "accuracy", None, {}, numbers.of_json(reported), limit, InMeasurements())


def verify(reported: float, tolerance: float, observed: str, is_relative: bool = False) -> tuple[str, str]:
    number = numbers.read(observed)
    assert number is not None
    return measurement.verify(rule(reported, tolerance, is_relative), number)


@pytest.mark.parametrize(
    "reported,tolerance,observed,verification",
    [
        (92.5, 0.2, "92.3", "verified"),
        (92.5, 0.2, "92.7", "verified"),
        (92.5, 0.2, "92.29999999999999999", "mismatched"),
        (92.5, 0.1, "92.3", "mismatched"),
        (0.3, 0.2, "0.1", "verified"),
        (0.1, 0.2, "0.3", "verified"),
        (0.30000000000000004, 0, "0.3", "mismatched"),
        (90.0, 0, "90", "verified"),
        (-1, 0.5, "-1.5", "verified"),
        (1e22, 1, "10000000000000000000001", "verified"),
        (0, 0, "-0.0", "verified"),
    ],
)
def test_the_boundary_is_inside_and_binary_floats_play_no_part(
    reported: float, tolerance: float, observed: str, verification: str
) -> None:
    assert verify(reported, tolerance, observed)[0] == verification


@pytest.mark.parametrize(
    "reported,observed,verification",
    [
        (0.71, "0.7455", "verified"),
        (0.71, "0.7456", "mismatched"),
        (-200, "-210", "verified"),
        (-200, "-210.01", "mismatched"),
    ],
)
def test_a_relative_tolerance_counts_from_the_size_of_the_reported_value(
    reported: float, observed: str, verification: str
) -> None:
    assert verify(reported, 0.05, observed, is_relative=True)[0] == verification


def test_the_outcome_is_a_sentence() -> None:
    assert verify(90.0, 0.5, "90.2")[1] == "90.2 is within 0.5 of 90.0."
    assert verify(10, 1, "15")[1] == "15 is not within 1 of 10: it differs by 5."
    assert verify(0.71, 0.05, "0.70", True)[1] == "0.70 is within 0.0355 (relative 0.05) of 0.71."


DECIMALS = st.decimals(-(10**6), 10**6, places=4)


@given(DECIMALS, DECIMALS, st.decimals(0, 10**6, places=4))
def test_verified_means_exactly_within_tolerance(reported: Any, observed: Any, tolerance: Any) -> None:
    verification, _ = verify(float(reported), float(tolerance), str(observed))
    inside = abs(Fraction(reported) - Fraction(observed)) <= Fraction(tolerance)
    assert verification == ("verified" if inside else "mismatched")


def measured(build: Any, tree: MemoryTree, *leaves: dict[str, Any]) -> list[Measured]:
    found = [(name, build.rule(**leaf)[0]) for name, leaf in zip("abc", leaves, strict=False)]
    return measurement.measure_all(Sources(tree), found)


def cell(build: Any, name: str, row: int) -> dict[str, Any]:
    return {"measurement": build.measurement(name, 1, 0), "extract": {"file": "t.csv", "column": "x", "row": row}}


def test_one_number_never_stands_for_several_measurements(build: Any) -> None:
    tree = MemoryTree({"t.csv": b"x\n1\n1\n"})
    leaves = [cell(build, "m0", 0), cell(build, "m1", -2), cell(build, "m2", 1)]
    first, second, third = measured(build, tree, *leaves)
    assert (first.verification, second.verification, third.verification) == ("review_required",) * 2 + ("verified",)
    assert (first.observed_json, third.observed_json) == (None, 1)
    assert first.reason == "review_required"


def test_a_number_that_came_with_the_submission_is_said_to_have(build: Any) -> None:
    (one,) = measured(build, MemoryTree(kept={"t.csv": b"x\n1\n"}), cell(build, "m", 0))
    assert one.verification == "verified"
    assert "came with the submission" in one.sentence


def test_without_an_observation_the_reason_is_kept(build: Any) -> None:
    (one,) = measured(build, MemoryTree(), cell(build, "m", 0))
    assert (one.verification, one.reason, one.observed, one.path) == ("unverified", "file_absent", None, None)
