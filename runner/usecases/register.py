"""Registering a paper: the import (contract: paperbench-api.md 2)."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from runner.domain import ids, licence, paper_ids
from runner.domain.access import AuditRow
from runner.domain.errors import Conflict, NotFound, Unavailable
from runner.domain.papers import Paper, SourceType, Visibility
from runner.ports import Ports
from runner.usecases import paper_files
from runner.usecases.given_files import Intake
from runner.usecases.paper_files import Checked, FileField
from runner.usecases.papers import view


@dataclass(frozen=True, slots=True)
class Draft:
    """What a request says about a new paper; None where a default is wanted. Values obey `paper_rules`."""

    source_type: SourceType
    source: str
    title: str
    license: str | None = None
    authors: tuple[str, ...] = ()
    venue: str | None = None
    year: int | None = None
    artifact_url: str | None = None
    paper_id: str | None = None
    summary: str = ""
    visibility: Visibility = "public"
    owner: str | None = None
    slug: str | None = None
    files: Mapping[FileField, str] = field(default_factory=dict)
    fetch: bool | None = None

    @property
    def wants_fetch(self) -> bool:
        """Whether a catalogue is asked; the default is yes for arXiv and DOI papers that bring no PDF."""
        by_default = self.fetch is None and "pdf_path" not in self.files
        return self.source_type in ("arxiv", "doi") and (by_default or self.fetch is True)


@dataclass(frozen=True, slots=True)
class Registered:
    paper: Paper
    is_new: bool
    warnings: list[dict[str, str]]


def register(ports: Ports, *, draft: Draft, overwrite: bool, intake: Intake, actor: str | None) -> Registered:
    """Stores a new paper, or with `overwrite` replaces the one of that id.

    Raises Invalid `arxiv_invalid_id`, `doi_invalid` and what `paper_files.checked` raises, Unavailable
    `arxiv_unavailable`, `doi_unavailable`, Conflict `paper_exists` (facts `paper_id`, `existing`: entry), `slug_taken`.
    """
    source = paper_ids.canonical_source(draft.source_type, draft.source)
    if draft.wants_fetch:
        raise _fetching_comes_later(draft.source_type)
    paper_id = draft.paper_id or paper_ids.default_paper_id(draft.source_type, source)
    with ExitStack() as stack:
        files = stack.enter_context(paper_files.checked(ports, draft.files, intake))
        made = stack.enter_context(paper_files.stored(ports, paper_id, files))
        paper = _paper(ports, draft, source, paper_id, files, made)
        stored, is_new = _store(ports, paper, draft, overwrite, actor)
    return Registered(stored, is_new, [warning for file in files for warning in file.warnings])


def _paper(
    ports: Ports, draft: Draft, source: str, paper_id: str, files: list[Checked], made: Mapping[str, Any]
) -> Paper:
    now = ports.clock.now()
    return Paper(
        paper_id=paper_id,
        repository_id=ids.new("repo"),
        title=draft.title,
        authors=draft.authors,
        venue=draft.venue,
        year=draft.year,
        source_type=draft.source_type,
        source=source,
        artifact_url=draft.artifact_url,
        license=licence.normalise(draft.license or ""),
        license_source="given" if draft.license is not None else None,
        summary=draft.summary,
        visibility=draft.visibility,
        owner=draft.owner or draft.source_type,
        slug=draft.slug or paper_ids.default_slug(paper_id),
        withdrawn=False,
        imported_at=now,
        updated_at=now,
        pdf_has_text=any(file.has_text for file in files if file.field == "pdf_path"),
        **made,
    )


def _store(ports: Ports, paper: Paper, draft: Draft, overwrite: bool, actor: str | None) -> tuple[Paper, bool]:
    """The stored paper, and whether it is new. A default slug that is taken gets `-2`, `-3`, ..."""
    audit = AuditRow(paper.imported_at, actor, "import", paper.paper_id)
    for number in count(1):
        slug = draft.slug or paper_ids.default_slug(paper.paper_id, number)
        try:
            return _store_as(ports, replace(paper, slug=slug), draft, overwrite, audit)
        except Conflict as error:
            if error.code == "paper_exists":
                raise _exists(ports, paper.paper_id, error) from None
            if error.code != "slug_taken" or draft.slug is not None:
                raise
    raise AssertionError("count() does not end")


def _store_as(ports: Ports, paper: Paper, draft: Draft, overwrite: bool, audit: AuditRow) -> tuple[Paper, bool]:
    if not overwrite:
        return ports.papers.add(paper, audit), True
    while True:
        try:
            return ports.papers.change(paper.paper_id, lambda old: _replaced(old, paper, draft), audit), False
        except NotFound:
            pass
        try:
            return ports.papers.add(paper, audit), True
        except Conflict as error:
            if error.code != "paper_exists":
                raise


def _replaced(old: Paper, new: Paper, draft: Draft) -> Paper:
    """`new` in the place of `old`: what lives as long as the paper does is kept, a default slug too."""
    keeps_slug = draft.slug is None and old.owner == new.owner and paper_ids.is_default_slug(old.slug, old.paper_id)
    slug = old.slug if keeps_slug else new.slug
    return replace(new, repository_id=old.repository_id, version=old.version + 1, slug=slug)


def _exists(ports: Ports, paper_id: str, error: Conflict) -> Conflict:
    sentence = f"The paper {paper_id} exists already: send overwrite to replace it, or another paper_id."
    return Conflict(sentence, "paper_exists", paper_id=paper_id, existing=view(ports, error.facts["existing"]))


def _fetching_comes_later(source_type: SourceType) -> Unavailable:
    name = {"arxiv": "arXiv", "doi": "DOI"}.get(source_type, source_type)
    sentence = (
        f'Fetching from {name} catalogues comes in a later version: send "fetch": false, or upload the PDF and name '
        "it in pdf_path."
    )
    return Unavailable(sentence, f"{source_type}_unavailable", retry_after_s=3600)
