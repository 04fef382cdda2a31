"""Numbers as they were written."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.1", Fraction(1, 10)),
        (" 92.30 ", Fraction(923, 10)),
        ("-0.5", Fraction(-1, 2)),
        ("+3", Fraction(3)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("1e3", Fraction(1000)),
        ("2.5E-2", Fraction(1, 40)),
        ("0e-9999", Fraction(0)),
    ],
)
def test_decimals_are_read_exactly(text: str, value: Fraction) -> None:
    number = numbers.read(text)
    assert number is not None
    assert number.value == value
    assert number.text == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "NaN",
        "Infinity",
        "-inf",
        "1e400",
        "1e-400",
        "1e999999999",
        "1e-999999999",
        "0x10",
        "1,234",
        "1_000",
        "92%",
        "٣",
        "1 2",
        "--1",
        ".",
        "e5",
        "9" * 1001,
    ],
)
def test_what_is_no_finite_number_is_none(text: str) -> None:
    assert numbers.read(text) is None


@pytest.mark.parametrize(("text", "json"), [("12", 12), ("+12", 12), ("12.0", 12.0), ("92.3", 92.3), ("1e3", 1000.0)])
def test_a_number_goes_out_as_it_was_written(text: str, json: float) -> None:
    number = numbers.read(text)
    assert number is not None
    assert repr(number.to_json()) == repr(json)


def test_an_integer_that_no_double_holds_goes_out_as_a_double() -> None:
    number = numbers.read("9" * 30)
    assert number is not None
    assert isinstance(number.to_json(), float)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_json_double_keeps_its_shortest_text(value: float) -> None:
    number = numbers.of_json(value)
    assert float(number.text) == value
    assert float(number.value) == value


@pytest.mark.parametrize("value", [True, False, None, "1", [], float("nan"), float("inf"), 10**400])
def test_only_finite_numbers_count_as_numbers(value: object) -> None:
    assert not numbers.is_finite(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(3, 10), "0.3"),
        (2, "2"),
        (Fraction(1, 3), "0.333333333333"),
        (Fraction(10) ** 400, "1E+400"),
        (-7, "-7"),
    ],
)
def test_numbers_in_sentences_are_short(value: Fraction, text: str) -> None:
    assert numbers.say(value) == text
