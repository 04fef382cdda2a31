"""GET /run/{job_id}: how a run stands."""

from __future__ import annotations

from flask import Response

from functions import _http
from runner.domain import run_view
from runner.usecases import runs

bp = _http.blueprint(__name__)


@bp.get("/run/<job_id>")
def status(job_id: str) -> Response:
    run = runs.get(_http.ports(), run_id=job_id, with_private=_http.may_see_private())
    return _http.reply(run_view.status(run))
