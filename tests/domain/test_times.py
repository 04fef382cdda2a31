"""Moments as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from runner.domain.times import utc_text


def test_other_zones_are_told_in_utc() -> None:
    moment = datetime(2026, 5, 13, 14, 57, tzinfo=timezone(timedelta(hours=9)))
    assert utc_text(moment) == "2026-05-13T05:57:00.000000Z"


@given(st.datetimes(min_value=datetime(1900, 1, 1)), st.datetimes(min_value=datetime(1900, 1, 1)))
def test_texts_sort_like_moments(first: datetime, second: datetime) -> None:
    first, second = first.replace(tzinfo=UTC), second.replace(tzinfo=UTC)
    assert (first < second) == (utc_text(first) < utc_text(second))
