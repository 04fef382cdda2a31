"""POST /papers/import: register a paper."""

from __future__ import annotations

from flask import Response
from pydantic import BaseModel

from functions import _http
from functions import _paper_fields as f
from runner.usecases import papers, register
from runner.usecases.paper_files import FILE_FIELDS

bp = _http.blueprint(__name__, scope="admin")


class Import(BaseModel):
    source_type: f.SourceType
    source: f.Source
    title: f.Title
    license: f.License | None = None
    authors: f.Authors = []
    venue: f.Venue | None = None
    year: f.Year | None = None
    artifact_url: f.ArtifactUrl | None = None
    paper_id: f.PaperId | None = None
    pdf_path: f.FilePath | None = None
    ad_pdf_path: f.FilePath | None = None
    ae_pdf_path: f.FilePath | None = None
    summary: f.Summary = ""
    visibility: f.Visibility = "public"
    owner: f.OwnerOrSlug | None = None
    slug: f.OwnerOrSlug | None = None
    fetch: bool | None = None
    overwrite: bool = False


@bp.post("/papers/import")
def create() -> Response:
    asked = _http.body(Import)
    done = register.register(
        _http.ports(), draft=_draft(asked), overwrite=asked.overwrite, intake=f.intake(), actor=_http.actor()
    )
    entry = papers.view(_http.ports(), done.paper)
    return _http.reply(entry | {"warnings": done.warnings}, 201 if done.is_new else 200)


def _draft(asked: Import) -> register.Draft:
    plain = asked.model_dump(exclude={*FILE_FIELDS, "overwrite"})
    files = {field: path for field in FILE_FIELDS if (path := getattr(asked, field)) is not None}
    return register.Draft(**plain | {"authors": tuple(asked.authors)}, files=files)
