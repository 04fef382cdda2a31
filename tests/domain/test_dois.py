"""DOIs in the forms that people paste."""

from __future__ import annotations

import csv
import pathlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import dois
from runner.domain.errors import Invalid


def test_every_shared_case_is_right(shared_data: pathlib.Path) -> None:
    with (shared_data / "cases/ids/dois.tsv").open(encoding="utf-8") as file:
        for text, canonical, segment, _ in list(csv.reader(file, delimiter="\t"))[1:]:
            if canonical == "-":
                with pytest.raises(Invalid):
                    dois.parse(text)
            else:
                assert (dois.parse(text), dois.path_segment(dois.parse(text))) == (canonical, segment)


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("(10.1000/xyz)", "10.1000/xyz"),
        ("10.1000/a(b)", "10.1000/a(b)"),
        ("10.1000/a(b).", "10.1000/a(b)"),
        ("(see 10.1000/a(b))".removeprefix("(see "), "10.1000/a(b)"),
        ("<https://doi.org/10.1000/xyz>", "10.1000/xyz"),
        ("[DOI: 10.1000/ABC]", "10.1000/abc"),
        ("https://dx.doi.org/10.1000/a%252Fb#part", "10.1000/a%2fb"),
        ("10.1000.5/x;", "10.1000.5/x"),
        ("10.1000/É", "10.1000/É"),
        ("10.1000/a+b", "10.1000/a+b"),
    ],
)
def test_further_forms(text: str, doi: str) -> None:
    assert dois.parse(text) == doi


@pytest.mark.parametrize(
    "text", ["", "10.1000/", "10.1/x", "10.1000", "doi:", "10.1000/x y", "10.1000/a\tb", "x10.1000/a"]
)
def test_what_is_no_doi_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        dois.parse(text)
    assert (caught.value.code, caught.value.details[0].field) == ("doi_invalid", "source")


@given(st.text())
def test_a_canonical_doi_is_its_own_canonical_form(text: str) -> None:
    try:
        doi = dois.parse("10.1000/" + text)
    except Invalid:
        return
    assert dois.parse(doi) == doi
