"""Signed cursors."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import cursors
from runner.domain.errors import Invalid

KEYS = st.lists(st.one_of(st.none(), st.integers(), st.text()), max_size=3).map(tuple)


@given(KEYS)
def test_what_was_sealed_comes_back(values: tuple[Any, ...]) -> None:
    sealed = cursors.seal(b"s", "/papers", values)
    assert re.fullmatch("[A-Za-z0-9_-]+", sealed)
    assert cursors.unseal(b"s", "/papers", sealed) == values


@pytest.mark.parametrize(("secret", "purpose"), [(b"other", "/papers"), (b"s", "/runs")])
def test_another_secret_or_list_is_refused(secret: bytes, purpose: str) -> None:
    with pytest.raises(Invalid) as caught:
        cursors.unseal(secret, purpose, cursors.seal(b"s", "/papers", (1,)))
    assert caught.value.code == "cursor_invalid"


def test_a_change_in_any_character_is_refused() -> None:
    sealed = cursors.seal(b"s", "p", (1, "a"))
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_="
    for place in range(len(sealed)):
        for other in alphabet.replace(sealed[place], ""):
            with pytest.raises(Invalid):
                cursors.unseal(b"s", "p", sealed[:place] + other + sealed[place + 1 :])


@given(st.text())
def test_any_text_is_refused_and_nothing_else_happens(text: str) -> None:
    with pytest.raises(Invalid):
        cursors.unseal(b"s", "p", text)


def test_the_longest_title_fits_into_a_request_line() -> None:
    assert len(cursors.seal(b"s", "p", ("再現性" * 333, "p"))) < 4000
