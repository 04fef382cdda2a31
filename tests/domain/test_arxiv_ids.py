"""arXiv ids in the forms that people paste."""

from __future__ import annotations

import csv
import pathlib

import pytest

from runner.domain import arxiv_ids
from runner.domain.errors import Invalid


def test_every_shared_case_is_right(shared_data: pathlib.Path) -> None:
    with (shared_data / "cases/ids/arxiv_ids.tsv").open(encoding="utf-8") as file:
        for given, canonical, version, stem, _ in list(csv.reader(file, delimiter="\t"))[1:]:
            if canonical == "-":
                with pytest.raises(Invalid) as caught:
                    arxiv_ids.parse(given)
                assert caught.value.code == "arxiv_invalid_id"
            else:
                found = arxiv_ids.parse(given)
                assert (found.id, str(found.version or ""), found.file_stem) == (canonical, version, stem)


@pytest.mark.parametrize(
    ("given", "source"),
    [
        ("https://www.arxiv.org/pdf/2404.14193v2.pdf?download=1", "2404.14193v2"),
        ("http://export.arxiv.org/abs/cs.LG/0102030v1", "cs/0102030v1"),
        ("https://arxiv.org/html/2404.14193v1/", "2404.14193v1"),
        ("10.48550/ARXIV.2404.14193", "2404.14193"),
        ("math.GT/0309136", "math/0309136"),
        ("  arXiv:  HEP-TH/9901001V2 ", "hep-th/9901001v2"),
        ("1412.9999", "1412.9999"),
        ("1501.00001", "1501.00001"),
    ],
)
def test_further_forms(given: str, source: str) -> None:
    assert arxiv_ids.parse(given).source == source


@pytest.mark.parametrize(
    "given",
    ["", "1501.1234", "2400.00001", "2413.00001", "2404.14193v0", "2404.00000", "0703.1234", "hep-th/9913001",
     "foo/9901001", "2404.14193/x", "https://example.org/abs/2404.14193", "٢٤٠٤.14193", "2404.14193v1v2",
     "arXiv:arXiv:2404.14193"],
)  # fmt: skip
def test_what_is_malformed_is_refused(given: str) -> None:
    with pytest.raises(Invalid, match=r"\.$"):
        arxiv_ids.parse(given)


def test_a_bare_old_number_is_told_that_its_archive_is_missing() -> None:
    with pytest.raises(Invalid, match="archive is missing"):
        arxiv_ids.parse("9901001")
