"""Signed URLs of stored files."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from runner.domain.errors import Forbidden
from runner.domain.signing import Signed, sign, verify

SECRET = b"secret"
NOW = datetime(2026, 5, 13, 5, 57, tzinfo=UTC)
SIGNED = Signed("papers/再 a+b/p?q#r%41.pdf", "再現 report.pdf", "text/html; charset=utf-8", inline=False)


def signed_parts(signed=SIGNED):
    path, _, query = sign(SECRET, signed, NOW, 3600).partition("?")
    return path, query


@pytest.mark.parametrize(
    "signed", [SIGNED, Signed("a", "", "", inline=True), Signed("a&b=c", "a&b=c", "a=b", inline=False)]
)
def test_a_url_says_what_was_signed(signed):
    assert verify(SECRET, *signed_parts(signed), NOW) == signed


@pytest.mark.parametrize(
    "key, path",
    [
        ("papers/x/paper.pdf", "/objects/papers/x/paper.pdf"),
        ("a b+c.pdf", "/objects/a%20b%2Bc.pdf"),
        ("p?q#r.pdf", "/objects/p%3Fq%23r.pdf"),
    ],
)
def test_keys_are_percent_encoded(key, path):
    assert signed_parts(Signed(key, "f", "t", inline=False))[0] == path


def test_any_changed_character_is_noticed():
    path, query = signed_parts()
    text = f"{path}?{query}"
    for place, character in enumerate(text):
        for other in {"A", "a", "0", "%", character.swapcase()} - {character}:
            changed_path, _, changed_query = (text[:place] + other + text[place + 1 :]).partition("?")
            with pytest.raises(Forbidden) as refused:
                verify(SECRET, changed_path, changed_query, NOW)
            assert refused.value.code == "bad_signature", (place, other)


def changes(path, query):
    parts = query.split("&")
    yield path, "&".join([parts[1], parts[0], *parts[2:]])
    yield path, "&".join([*parts[:3], parts[4], parts[3]])
    yield path, query.replace("%20", "+")
    yield path, query.replace("%E5", "%e5")
    yield path.replace("%E5", "%e5"), query
    yield path.replace(".pdf", "%2Epdf"), query
    yield path, query + "&extra=1"
    yield path, query + "="
    yield path, query + "\n"
    yield path, "name=x&" + query
    yield path, query.rpartition("&")[0]
    yield path, query.rpartition("=")[0] + "="
    yield path, ""
    yield path, query.replace("sig=", "sig=é\ud800")
    yield path + "/", query
    yield "/objects/../objects" + path.removeprefix("/objects"), query


@pytest.mark.parametrize("changed", [*changes(*signed_parts())])
def test_another_spelling_or_order_is_no_longer_signed(changed):
    with pytest.raises(Forbidden) as refused:
        verify(SECRET, *changed, NOW)
    assert refused.value.code == "bad_signature"


def test_another_secret_signs_nothing():
    with pytest.raises(Forbidden):
        verify(b"other", *signed_parts(), NOW)


def test_a_url_lives_as_long_as_it_says():
    assert verify(SECRET, *signed_parts(), NOW + timedelta(seconds=3599.9)) == SIGNED
    with pytest.raises(Forbidden) as refused:
        verify(SECRET, *signed_parts(), NOW + timedelta(seconds=3600))
    assert refused.value.code == "url_expired"
