"""POST /run/{job_id}/rerun: a new run of the same configs, rubric version and submission."""

from __future__ import annotations

from flask import Response
from pydantic import BaseModel

from functions import _http
from runner.usecases import rerun as use

bp = _http.blueprint(__name__, scope="run")


class Nothing(BaseModel):
    """No field: the body may be empty."""


@bp.post("/run/<job_id>/rerun")
def rerun(job_id: str) -> Response:
    _http.body(Nothing, optional=True)
    new = use.rerun(_http.ports(), run_id=job_id, key=_http.idempotency_key(), actor=_http.actor())
    return _http.reply({"job_id": new}, 202)
