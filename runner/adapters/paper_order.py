"""The orders of the list of papers: by a key, equal keys upwards by `paper_id`, papers without a key last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runner.domain import instants, search_text
from runner.domain.papers import Paper

KEYS: Mapping[str, Callable[[Paper], Any]] = {
    "imported_at": lambda paper: instants.to_micros(paper.imported_at),
    "title": lambda paper: search_text.fold(paper.title),
    "year": lambda paper: paper.year,
    "paper_id": lambda paper: paper.paper_id,
}
"""JSON values, as they stand in cursors."""


def place(sort: str, paper: Paper) -> tuple[Any, Any]:
    """Where a paper stands: (key, paper_id)."""
    return KEYS[sort](paper), paper.paper_id
