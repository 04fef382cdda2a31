"""Paths and globs inside an executed tree."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import patterns, tree_paths


@pytest.mark.parametrize(
    ("path", "normal"), [("out/x.csv", "out/x.csv"), ("./out//x.csv", "out/x.csv"), ("a b/ü", "a b/ü"), ("..x", "..x")]
)
def test_paths_are_normalised(path: str, normal: str) -> None:
    assert tree_paths.normal(path) == normal


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../x", "a/../b", "a/..", ".", "out/", "a\\b", "a\0b", "a\nb", "x" * 1025]
)
def test_paths_that_leave_the_tree_or_name_no_file_are_none(path: str) -> None:
    assert tree_paths.normal(path) is None


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("out/*.csv", "out/a.csv", True),
        ("out/*.csv", "out/deep/a.csv", False),
        ("*.csv", ".csv", True),
        ("out/?.csv", "out//.csv", False),
        ("**/*.csv", "a.csv", True),
        ("**/*.csv", "x/y/a.csv", True),
        ("out/**", "out/x/y", True),
        ("out/**", "out", False),
        ("out/**/z", "out/z", True),
        ("a**b", "a/b", False),
        ("[ab].t", "b.t", True),
        ("[!a].t", "a.t", False),
        ("[!a].t", "/.t", False),
        ("[]]", "]", True),
        ("[", "[", True),
        ("a.b", "axb", False),
        ("a+(b)", "a+(b)", True),
        ("out/*.CSV", "out/a.csv", False),
    ],
)
def test_globs_fit_whole_paths_and_stars_stay_in_one_part(glob: str, path: str, fits: bool) -> None:
    assert tree_paths.glob(glob).matches(path) is fits


@given(st.text(alphabet="ab*?[]!^-\\./", min_size=1))
def test_any_text_is_a_glob_or_refused_by_name(text: str) -> None:
    with contextlib.suppress(patterns.BadPattern):
        tree_paths.glob(text)
