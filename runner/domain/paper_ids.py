"""The id and the slug that a paper gets when none was given (contract: paperbench-api.md 2)."""

from __future__ import annotations

import hashlib
import re

from runner.domain import arxiv_ids, dois, ids
from runner.domain.papers import SourceType

LONGEST_STEM = 55


def canonical_source(source_type: SourceType, source: str) -> str:
    """`source` as it is stored. Raises Invalid `arxiv_invalid_id`, `doi_invalid`."""
    if source_type == "arxiv":
        return arxiv_ids.parse(source).source
    if source_type == "doi":
        return dois.parse(source)
    return source.strip()


def default_paper_id(source_type: SourceType, source: str) -> str:
    """The id made from a canonical `source`; two sources never share one by accident.

    A name that had to be changed or cut carries 8 hex digits of the source's SHA-256.
    """
    if source_type == "arxiv":
        return arxiv_ids.parse(source).file_stem
    stem = source if source_type == "doi" else re.split(r"[/\\]", source)[-1]
    clean = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip(".-")
    if clean == stem and ids.is_paper_id(clean):
        return clean
    digest = hashlib.sha256(source.encode()).hexdigest()[:8]
    return f"{clean[:LONGEST_STEM]}-{digest}" if clean else digest


def default_slug(paper_id: str, number: int = 1) -> str:
    """The lower-case form of `paper_id`, with `-2`, `-3`, ... for the second, third, ... try."""
    stem = paper_id.lower().lstrip("._-") or "paper"
    return stem if number == 1 else f"{stem}-{number}"


def is_default_slug(slug: str, paper_id: str) -> bool:
    """Whether `slug` is one that `default_slug` makes for `paper_id`."""
    return re.fullmatch(re.escape(default_slug(paper_id)) + r"(-[1-9][0-9]*)?", slug, re.ASCII) is not None
