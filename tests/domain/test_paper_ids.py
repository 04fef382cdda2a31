"""Ids and slugs that papers get by default."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import ids, paper_ids, slugs


def digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:8]


def test_arxiv_ids_keep_their_version_and_never_a_slash() -> None:
    assert paper_ids.default_paper_id("arxiv", "hep-th/9901001v2") == "hep-th__9901001v2"


def test_a_doi_is_taken_whole() -> None:
    assert paper_ids.default_paper_id("doi", "10.1000/synth.1") == "10.1000-synth.1-" + digest("10.1000/synth.1")


@pytest.mark.parametrize(
    ("source", "stem"),
    [
        ("notes/paper.pdf", "paper.pdf"),
        ("C:\\docs\\paper", "paper"),
        ("a b.pdf", "a-b.pdf-{}"),
        (".hidden", "hidden-{}"),
        ("再現/実験", "{}"),
        ("dir/", "{}"),
        ("import", "import-{}"),
        ("import-package", "import-package-{}"),
        ("importer", "importer"),
        ("L" * 65, "L" * 55 + "-{}"),
        ("L" * 64, "L" * 64),
    ],
)
def test_a_changed_name_carries_the_hash_of_its_source(source: str, stem: str) -> None:
    assert paper_ids.default_paper_id("local", source) == stem.format(digest(source))


@given(st.text(min_size=1))
def test_every_source_gives_a_valid_id_and_slug(source: str) -> None:
    clean = source.encode("utf-8", "replace").decode()
    made = paper_ids.default_paper_id("local", clean)
    assert ids.is_paper_id(made)
    assert slugs.is_slug(paper_ids.default_slug(made, 12))


def test_default_slugs_are_known_again() -> None:
    assert [paper_ids.default_slug("_X", number) for number in (1, 2)] == ["x", "x-2"]
    assert paper_ids.default_slug("---") == "paper"
    assert paper_ids.is_default_slug("x-12", "X")
    assert not paper_ids.is_default_slug("x-mine", "X")
