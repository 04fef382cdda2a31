"""GET /papers/{paper_id}/license: what the paper's licence allows."""

from __future__ import annotations

from flask import Response

from functions import _http
from runner.domain import licence
from runner.usecases import papers

bp = _http.blueprint(__name__)


@bp.get("/papers/<paper_id>/license")
def show(paper_id: str) -> Response:
    paper = papers.get(_http.ports(), paper_id=paper_id, with_private=_http.may_see_private())
    return _http.reply(licence.classify(paper.license).as_json())
