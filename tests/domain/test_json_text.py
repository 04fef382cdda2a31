"""Strict JSON: what is read, and what is refused how."""

from __future__ import annotations

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import json_text
from runner.domain.errors import Invalid, Malformed, TooLarge


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[1,]", b"NaN", b'{"a": -Infinity}', b"\xff\xfe", b"'a'", b"{} {}", b'{"a": "\n"}'],
)
def test_what_is_not_json_is_malformed(body: bytes) -> None:
    with pytest.raises(Malformed) as refused:
        json_text.parse(body)
    assert refused.value.code == "bad_json"


def test_a_key_given_twice_is_invalid_and_named() -> None:
    with pytest.raises(Invalid) as refused:
        json_text.parse(b'{"a": {"weight": 1, "x": 2, "weight": 1}}', "rubric_invalid")
    assert refused.value.code == "rubric_invalid"
    assert [fault.code for fault in refused.value.details] == ["duplicate_key"]
    assert "weight" in refused.value.message


def test_nesting_beyond_any_use_is_invalid_not_a_crash() -> None:
    with pytest.raises(Invalid) as refused:
        json_text.parse(b'{"sub_tasks": [' * 10_000, "rubric_invalid")
    assert [fault.code for fault in refused.value.details] == ["too_deep"]


def test_more_than_eight_mebibytes_are_too_large() -> None:
    with pytest.raises(TooLarge) as refused:
        json_text.parse(b" " * (json_text.MAX_BODY_BYTES + 1))
    assert refused.value.code == "body_too_large"


def test_numbers_out_of_range_are_left_to_the_reader_of_the_field() -> None:
    assert json_text.parse(b"[1e400, -1e400]") == [math.inf, -math.inf]
    assert json_text.parse(b"9" * 5000) == math.inf


def test_a_byte_order_mark_is_ignored() -> None:
    assert json_text.parse(b"\xef\xbb\xbf[1]") == [1]


@given(st.binary())
def test_any_bytes_are_read_or_refused_by_name(body: bytes) -> None:
    with contextlib.suppress(Malformed, Invalid):
        json_text.parse(body)
