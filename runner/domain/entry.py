"""The paper entry: the same object in every answer (contract: paperbench-api.md 2)."""

from __future__ import annotations

from typing import Any

from runner.domain import licence
from runner.domain.papers import Paper, StoredFile
from runner.domain.times import utc_text


def entry(paper: Paper, registry_dir: str) -> dict[str, Any]:
    """`paper` as JSON. `registry_dir` is what `Objects.location` says for `papers/<paper_id>/`."""
    assessment = licence.classify(paper.license)
    return {
        "paper_id": paper.paper_id,
        "title": paper.title,
        "authors": list(paper.authors),
        "venue": paper.venue,
        "year": paper.year,
        "source_type": paper.source_type,
        "source": paper.source,
        "artifact_url": paper.artifact_url,
        "license": assessment.license,
        "license_source": paper.license_source,
        "spdx": assessment.spdx,
        "license_assessment": assessment.as_json(),
        "imported_at": utc_text(paper.imported_at),
        "updated_at": utc_text(paper.updated_at),
        "version": paper.version,
        "registry_dir": registry_dir,
        "pdf": _file(paper.pdf),
        "ad_pdf": _file(paper.ad_pdf),
        "ae_pdf": _file(paper.ae_pdf),
        "owner": paper.owner,
        "slug": paper.slug,
        "repository_id": paper.repository_id,
        "withdrawn": paper.withdrawn,
        "summary": paper.summary,
        "visibility": paper.visibility,
    }


def _file(stored: StoredFile | None) -> dict[str, Any] | None:
    return None if stored is None else {"sha256": stored.sha256, "size_bytes": stored.size_bytes}
