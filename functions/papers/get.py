"""GET /papers/{paper_id}: one entry."""

from __future__ import annotations

from flask import Response

from functions import _http
from runner.usecases import papers

bp = _http.blueprint(__name__)


@bp.get("/papers/<paper:paper_id>")
def show(paper_id: str) -> Response:
    paper = papers.get(_http.ports(), paper_id=paper_id, with_private=_http.may_see_private())
    return _http.reply(papers.view(_http.ports(), paper), etag=str(paper.version))
