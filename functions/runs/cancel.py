"""POST /run/{job_id}/cancel: end a run; within 10 s nothing of it is left running."""

from __future__ import annotations

from flask import Response
from pydantic import BaseModel

from functions import _http
from runner.usecases import runs

bp = _http.blueprint(__name__, scope="run")


class Nothing(BaseModel):
    """No field: the body may be empty."""


@bp.post("/run/<job_id>/cancel")
def cancel(job_id: str) -> Response:
    _http.body(Nothing, optional=True)
    status, already = runs.cancel(_http.ports(), run_id=job_id, actor=_http.actor())
    return _http.reply({"job_id": job_id, "status": status}, 200 if already else 202)
