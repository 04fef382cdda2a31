"""A paper as a row, and back."""

from __future__ import annotations

from typing import Any

from sqlalchemy import RowMapping

from runner.adapters.sql import files
from runner.domain import licence, search_text
from runner.domain.papers import Paper

_FILES = ("pdf", "ad_pdf", "ae_pdf")
_PLAIN = tuple(name for name in Paper.__dataclass_fields__ if name not in _FILES)


def to_row(paper: Paper) -> dict[str, Any]:
    assessment = licence.classify(paper.license)
    row = {name: getattr(paper, name) for name in _PLAIN}
    for name in _FILES:
        row |= files.columns(name, getattr(paper, name))
    return row | {
        "title_key": search_text.fold(paper.title),
        "search_text": search_text.of_paper(paper),
        "license_scope": assessment.scope,
        "license_usable": assessment.usable,
    }


def from_row(row: RowMapping) -> Paper:
    values: dict[str, Any] = {name: row[name] for name in _PLAIN}
    values |= {name: files.if_any(row, name) for name in _FILES}
    return Paper(**values | {"authors": tuple(row["authors"])})
