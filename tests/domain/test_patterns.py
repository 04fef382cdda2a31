"""RE2 patterns of rubrics."""

from __future__ import annotations

import pytest

from runner.domain import patterns


def test_anchors_match_at_lines_in_every_branch() -> None:
    found = patterns.by_lines("^a$|^b$").find_all(b"x\na\nb\nab\n")
    assert [match.start for match in found] == [2, 4]


def test_the_group_named_value_comes_before_group_one() -> None:
    pattern = patterns.by_lines(r"(\w+)=(?P<value>\d+)")
    assert [match.group for match in pattern.find_all(b"steps=9 steps=12")] == ["9", "12"]


def test_group_one_is_the_value_without_a_name_and_matching_starts_at_bytes() -> None:
    (match,) = patterns.by_lines(r"é=(\d+)").find_all("aé=7".encode())
    assert (match.start, match.group_start, match.group) == (1, 4, "7")


@pytest.mark.parametrize("text", ["(", "(?=a)", r"(a)\1", "a{2000}", "[", "\ud800", "x" * 5000])
def test_what_re2_cannot_do_is_refused(text: str) -> None:
    with pytest.raises(patterns.BadPattern):
        patterns.by_lines(text)


def test_a_pattern_that_would_explode_elsewhere_takes_linear_time() -> None:
    assert not patterns.compile(r"\A(a+)+\z").matches("a" * 50_000 + "b")
