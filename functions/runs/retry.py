"""POST /run/{job_id}/retry: a failed or cancelled run goes on from a stage."""

from __future__ import annotations

from flask import Response
from pydantic import BaseModel

from functions import _http
from runner.domain.run import StageName
from runner.usecases import runs

bp = _http.blueprint(__name__, scope="run")


class Retry(BaseModel):
    from_stage: StageName | None = None


@bp.post("/run/<job_id>/retry")
def retry(job_id: str) -> Response:
    asked = _http.body(Retry, optional=True)
    stage = runs.retry(_http.ports(), run_id=job_id, from_stage=asked.from_stage, actor=_http.actor())
    return _http.reply({"job_id": job_id, "status": "queued", "from_stage": stage}, 202)
