"""Section 2: which paper this is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from runner.stages.reporting import plain_text, stored
from runner.stages.reporting.stored import JsonObject

_HTTP = re.compile(r"https?://[^\s\"'<>]+\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Paper:
    """`links` are addresses that are safe to offer (http, https), by the name of their row."""

    paper_id: str | None
    title: str | None
    authors: tuple[str, ...]
    venue: str | None
    year: str | None
    license: str | None
    license_spdx: str | None
    license_scope: str | None
    license_source: str | None
    source: str | None
    artifact_url: str | None
    pdf_sha256: str | None
    is_usable: bool | None
    is_redistributable: bool | None
    links: dict[str, str]


def read(paper: JsonObject) -> Paper:
    assessment = stored.child(paper, "license_assessment")
    artifact_url, source = stored.text(paper, "artifact_url"), stored.text(paper, "source")
    year = stored.count(paper, "year")
    links = {"artifact_url": artifact_url, "source": _catalogue_link(stored.text(paper, "source_type"), source)}
    return Paper(
        paper_id=stored.text(paper, "paper_id"),
        title=stored.text(paper, "title"),
        authors=tuple(author for author in map(plain_text.one_line, stored.items(paper, "authors")) if author),
        venue=stored.text(paper, "venue"),
        year=None if year is None else str(year),
        license=stored.text(paper, "license"),
        license_spdx=stored.text(paper, "spdx"),
        license_scope=stored.text(assessment, "scope"),
        license_source=stored.text(paper, "license_source"),
        source=source,
        artifact_url=artifact_url,
        pdf_sha256=stored.text(stored.child(paper, "pdf"), "sha256"),
        is_usable=_bool(assessment, "usable"),
        is_redistributable=_bool(assessment, "redistributable"),
        links={name: url for name, url in links.items() if url and _HTTP.match(url)},
    )


def _catalogue_link(source_type: str | None, source: str | None) -> str | None:
    base = {"doi": "https://doi.org/", "arxiv": "https://arxiv.org/abs/"}.get(source_type or "")
    return f"{base}{source}" if base and source else None


def _bool(source: JsonObject, key: str) -> bool | None:
    value = source.get(key)
    return value if isinstance(value, bool) else None
