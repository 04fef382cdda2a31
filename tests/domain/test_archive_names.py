"""Names inside a submission archive."""

from __future__ import annotations

import unicodedata

import pytest

from runner.domain import archive_names


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("a", "a"),
        ("./a/./b", "a/b"),
        ("folder/", "folder"),
        (".", ""),
        ("./", ""),
        ("...", "..."),
        ("..a/b..", "..a/b.."),
        ("日本/é x.py", "日本/é x.py"),
        ("x" * 255, "x" * 255),
    ],
)
def test_accepted_names_are_kept_as_sent(name, clean):
    assert archive_names.clean(name) == clean


def test_the_unicode_form_of_a_name_is_not_changed():
    assert archive_names.clean(unicodedata.normalize("NFD", "é")) == unicodedata.normalize("NFD", "é")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("../a", "parent_path"),
        ("a/../b", "parent_path"),
        ("a\\..\\b", "parent_path"),
        ("..", "parent_path"),
        ("/a", "absolute_path"),
        ("//a", "absolute_path"),
        ("\\a", "absolute_path"),
        ("C:\\a", "absolute_path"),
        ("c:/a", "absolute_path"),
        ("", "bad_name"),
        ("a//b", "bad_name"),
        ("a\\b", "bad_name"),
        ("a\nb", "bad_name"),
        ("a\x00b", "bad_name"),
        ("a\x7f", "bad_name"),
        ("a\udcff", "bad_name"),
        ("x" * 256, "bad_name"),
        ("é" * 128, "bad_name"),
        ("x/" * 512 + "y", "bad_name"),
    ],
)
def test_refused_names(name, code):
    with pytest.raises(archive_names.BadName) as refused:
        archive_names.clean(name)
    assert refused.value.code == code


def test_a_refused_name_is_shown_printable_and_short():
    assert archive_names.shown("a\nb\udcff") == "a\\x0ab\\xff"
    assert len(archive_names.shown("x" * 5000)) == 200
