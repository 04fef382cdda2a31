"""What the fields of a paper may hold, and texts that cannot be stored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import clean_text, paper_rules


@pytest.mark.parametrize("text", ["http://a", "https://example.org/x?y=%20#z", "https://例え.jp/", "https://a:8080/"])
def test_addresses_that_are_taken(text: str) -> None:
    assert paper_rules.artifact_url(text) == text


@pytest.mark.parametrize(
    "text", ["", "ftp://a", "https:/a", "//a", "https://a:b", "https://a:0", "https://a\n", "https://[::", "x" * 3000]
)
def test_addresses_that_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="Give"):
        paper_rules.artifact_url(text)


@given(st.text())
def test_an_address_is_taken_or_refused_with_a_sentence(text: str) -> None:
    told = None
    try:
        assert paper_rules.artifact_url("https://" + text)
    except ValueError as error:
        told = str(error)
    assert told is None or told.startswith("Give")


def test_unclean_text_is_found_wherever_it_is() -> None:
    value = {"a": ["ok", {"b\0": "x"}], "c": "\udfff", "d": {"e": "fine"}}
    assert {(fault.field, fault.code) for fault in clean_text.faults(value)} == {
        ("a[1].b\0", "bad_characters"),
        ("c", "bad_characters"),
    }


def test_deep_values_do_not_exhaust_the_stack() -> None:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    assert clean_text.faults(value) == []
