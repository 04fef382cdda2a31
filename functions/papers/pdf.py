"""GET /papers/{paper_id}/pdf: the way to the paper's PDF."""

from __future__ import annotations

from flask import Response

from functions import _http
from runner.domain import licence
from runner.domain.errors import Unauthorized
from runner.usecases import papers

bp = _http.blueprint(__name__)


@bp.get("/papers/<paper_id>/pdf")
def show(paper_id: str) -> Response:
    paper = papers.get(_http.ports(), paper_id=paper_id, with_private=_http.may_see_private())
    link = papers.pdf_link(_http.ports(), paper)
    if not licence.classify(paper.license).redistributable and not _http.may_see_private():
        raise Unauthorized("This PDF may not be passed on to everyone: an API key is needed.")
    return _http.reply({"location": link}, 302, headers={"Location": link, "Cache-Control": "no-store"})
