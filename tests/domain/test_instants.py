"""Instants as microseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain.instants import from_micros, to_micros


@given(st.datetimes(timezones=st.just(UTC)))
def test_an_instant_round_trips(moment):
    assert from_micros(to_micros(moment)) == moment


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_instants_sort_like_their_microseconds(one, other):
    assert (one < other) == (to_micros(one) < to_micros(other))


def test_the_zone_does_not_matter():
    moment = datetime(2026, 5, 13, 5, 57, 0, 1, tzinfo=UTC)
    assert to_micros(moment.astimezone(timezone(timedelta(hours=9)))) == to_micros(moment) == 1778651820000001


def test_a_moment_without_a_zone_is_refused():
    with pytest.raises(TypeError):
        to_micros(datetime(2026, 5, 13))
