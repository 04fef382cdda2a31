"""POST /papers/{paper_id}/metadata: change some fields of an entry."""

from __future__ import annotations

from flask import Response
from pydantic import BaseModel, Field

from functions import _http
from functions import _paper_fields as f
from runner.domain.errors import Fault, Invalid
from runner.usecases import papers
from runner.usecases.paper_files import FILE_FIELDS

bp = _http.blueprint(__name__, scope="admin")


class Patch(BaseModel):
    """Only fields that were sent count; null empties a field that may be empty."""

    title: f.Title = ""
    license: f.License = ""
    authors: f.Authors = []
    venue: f.Venue | None = None
    year: f.Year | None = None
    artifact_url: f.ArtifactUrl | None = None
    summary: f.Summary = ""
    visibility: f.Visibility = "public"
    owner: f.OwnerOrSlug = ""
    slug: f.OwnerOrSlug = ""
    pdf_path: f.FilePath | None = None
    ad_pdf_path: f.FilePath | None = None
    ae_pdf_path: f.FilePath | None = None
    version: int = Field(1, ge=1)
    paper_id: str = ""


@bp.post("/papers/<paper_id>/metadata")
def change(paper_id: str) -> Response:
    asked = _http.body(Patch)
    paper = papers.change(
        _http.ports(), paper_id=paper_id, asked=_change(asked, paper_id), intake=f.intake(), actor=_http.actor()
    )
    return _http.reply(papers.view(_http.ports(), paper))


def _change(asked: Patch, paper_id: str) -> papers.Change:
    sent = asked.model_dump(exclude_unset=True)
    if sent.pop("paper_id", paper_id) != paper_id:
        sentence = "The id of a paper cannot be changed."
        raise Invalid(sentence, details=[Fault("paper_id", "read_only", sentence)])
    version = sent.pop("version", None)
    files = {field: sent.pop(field) for field in FILE_FIELDS if field in sent}
    if "authors" in sent:
        sent["authors"] = tuple(sent["authors"])
    return papers.Change(sent, files, version)
