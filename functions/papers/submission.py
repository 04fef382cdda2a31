"""POST /papers/{paper_id}/submission and GET /papers/{paper_id}/submissions: what runs execute."""

from __future__ import annotations

from typing import BinaryIO

from flask import Response
from pydantic import BaseModel

from functions import _http
from functions import _paper_fields as f
from runner.usecases import papers, submissions

bp = _http.blueprint(__name__)


class NamedSubmission(BaseModel):
    path: f.FilePath


@bp.post("/papers/<paper_id>/submission")
def create(paper_id: str) -> Response:
    papers.get(_http.ports(), paper_id=paper_id)
    submission, is_new = submissions.add(
        _http.ports(), paper_id=paper_id, given=_given(), intake=f.intake(), actor=_http.actor()
    )
    return _http.reply(submissions.view(submission), 201 if is_new else 200)


def _given() -> str | BinaryIO:
    if _http.is_multipart():
        return _http.multipart(f.intake().max_bytes).data
    return _http.body(NamedSubmission).path


@bp.get("/papers/<paper_id>/submissions")
def index(paper_id: str) -> Response:
    asked = _http.query(_http.Paging)
    paper = papers.get(_http.ports(), paper_id=paper_id, with_private=_http.may_see_private())
    page = submissions.page(_http.ports(), paper=paper, after=_http.after(asked), limit=asked.limit)
    return _http.page_reply(asked, "submissions", page, submissions.line)
