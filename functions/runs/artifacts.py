"""GET /run/{job_id}/artifacts: what a run used and made, with signed URLs."""

from __future__ import annotations

from flask import Response

from functions import _http
from runner.domain import run_view
from runner.usecases import runs

bp = _http.blueprint(__name__)


@bp.get("/run/<job_id>/artifacts")
def artifacts(job_id: str) -> Response:
    asked, ports = _http.query(_http.Paging), _http.ports()
    runs.get(ports, run_id=job_id, with_private=_http.may_see_private())
    page = ports.runs.evidence(job_id, _http.after(asked), asked.limit)
    return _http.page_reply(
        asked, "artifacts", page, lambda item: run_view.artifact(item, runs.artifact_url(ports, item)), job_id=job_id
    )
