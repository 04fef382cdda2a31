"""Secrets become [masked]."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain.masking import LineMasker, Masker, RawMasker, secret_values

PEM = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEpAIBAAKCAQEA\nAbC=\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9" + "." + "eyJzdWIiOiIxMjM0In0" + "." + "c2lnbmF0dXJl"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key " + "sk-" + "a" * 20 + " end", "key [masked] end"),
        ("sk-" + "proj-abc_DEF-0123456789abcdef", "[masked]"),
        ("token=" + "ghp_" + "A" * 36, "token=[masked]"),
        ("github_pat_" + "A" * 30, "[masked]"),
        ("AKIA" + "ABCDEFGHIJKLMNOP", "[masked]"),
        ("AIza" + "a" * 35, "[masked]"),
        ("hf_" + "a" * 34 + ".", "[masked]."),
        (f"bearer {JWT}!", "bearer [masked]!"),
        ("https://user:" + "pass@host/x", "https://[masked]@host/x"),
        (f"before\n{PEM}\nafter", "before\n[masked]\nafter"),
        ("a file that starts with -----BEGIN CERTIFICATE----- is one", "a file that starts with [masked] is one"),
        ("task-aaaaaaaaaaaaaaaaaaaaaaaa and disk-bbbbbbbbbbbbbbbbbbbbbbbb", None),
        ("https://example.org:8080/a@b", None),
        ("ghost hf_short sk-short eyJ.a.b", None),
    ],
)
def test_known_shapes(text, masked):
    assert Masker()(text) == (text if masked is None else masked)


@pytest.mark.parametrize("piece", ["-----BEGIN X-----", "-----BEGIN X-----\n" + "A" * 20, "_eyJ-", "eyJa.", "://a:"])
def test_no_text_takes_long(piece):
    began = time.perf_counter()
    Masker()(piece * (1_000_000 // len(piece)))
    assert time.perf_counter() - began < 5  # about 0.1 s alone


def test_exact_values_of_eight_characters_and_more():
    mask = Masker(["hunter22", "short", "hunter2222"])
    assert mask("hunter22 hunter2222 short xhunter22x") == "[masked] [masked] short x[masked]x"


def test_every_line_of_a_long_secret_is_a_secret():
    assert Masker(["first-part\n  second-part\n"])("a second-part b") == "a [masked] b"


def test_values_are_taken_from_variables_that_are_named_like_secrets():
    names = {"OPENAI_API_KEY": "one", "hf_token": "two", "MY_SECRET_X": "three", "PGPASSWORD": "four", "HOME": "five"}
    assert set(secret_values(names)) == {"one", "two", "three", "four"}


def test_a_key_block_is_masked_line_by_line():
    mask = LineMasker(Masker())
    lines = ["start", *PEM.split("\n"), "after the block"]
    assert [mask(line) for line in lines] == ["start", *["[masked]"] * 6, "after the block"]


def test_a_key_block_that_never_ends_does_not_hide_the_log():
    mask = LineMasker(Masker())
    lines = ["-----BEGIN X-----", "QUJD", "epoch 1 of 3", "QUJD"]
    assert [mask(line) for line in lines] == ["[masked]", "[masked]", "epoch 1 of 3", "QUJD"]


def test_the_raw_log_loses_exact_values_only_and_says_how_many():
    raw = RawMasker(Masker(["hunter2222"]))
    chunks = [b"a hunter2222 sk-aaaaaaaaaaaaaaaaaaaaaa \xff\x00 hun", b"ter22", b"22 hunter"]
    assert (
        b"".join(map(raw.feed, chunks)) + raw.close()
        == b"a [masked] sk-aaaaaaaaaaaaaaaaaaaaaa \xff\x00 [masked] hunter"
    )
    assert raw.masked == 2


def test_without_secrets_the_raw_log_is_untouched():
    raw = RawMasker(Masker())
    assert raw.feed(b"abc") + raw.close() == b"abc"


@given(
    st.lists(st.sampled_from(["abababab", "ababababcd", "babababa", "aaaaaaaab", "-----abc"]), max_size=4),
    st.text("abcd-", max_size=60).map(str.encode),
    st.lists(st.integers(0, 60), max_size=6),
)
def test_where_the_raw_log_is_cut_makes_no_difference(secrets, data, cuts):
    whole, parts = RawMasker(Masker(secrets)), RawMasker(Masker(secrets))
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    out = b"".join(parts.feed(data[a:b]) for a, b in itertools.pairwise(edges)) + parts.close()
    assert (out, parts.masked) == (whole.feed(data) + whole.close(), whole.masked)
    assert not any(secret.encode() in out for secret in secrets if secret != "-----abc")
