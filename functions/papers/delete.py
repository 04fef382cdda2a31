"""POST /papers/{paper_id}/delete: remove a paper and what only it uses."""

from __future__ import annotations

from flask import Response
from pydantic import BaseModel

from functions import _http
from runner.usecases import papers

bp = _http.blueprint(__name__, scope="admin")


class Delete(BaseModel):
    force: bool = False


@bp.post("/papers/<paper_id>/delete")
def delete(paper_id: str) -> Response:
    asked = _http.body(Delete, optional=True)
    if papers.delete(_http.ports(), paper_id=paper_id, force=asked.force, actor=_http.actor()):
        return _http.reply({"deleted": True, "paper_id": paper_id})
    return _http.reply({"deleted": False, "paper_id": paper_id, "reason": "not_found"})
