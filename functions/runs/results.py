"""GET /run/{job_id}/results: score, criteria, claims, measurements and what the reproduction did."""

from __future__ import annotations

from flask import Response

from functions import _http
from runner.usecases import runs

bp = _http.blueprint(__name__)


@bp.get("/run/<job_id>/results")
def results(job_id: str) -> Response:
    return _http.reply(runs.results(_http.ports(), run_id=job_id, with_private=_http.may_see_private()))
