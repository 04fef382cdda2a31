"""POST /run/{job_id}/rerun: a new run of the same configs, rubric version and submission."""

from __future__ import annotations

from flask import Response
from pydantic import BaseModel

from functions import _http
from runner.usecases import runs

bp = _http.blueprint(__name__, scope="run")


class Nothing(BaseModel):
    """No field: the body may be empty."""


@bp.post("/run/<job_id>/rerun")
def rerun(job_id: str) -> Response:
    _http.body(Nothing, optional=True)
    return _http.reply({"job_id": runs.rerun(_http.ports(), run_id=job_id, actor=_http.actor())}, 202)
