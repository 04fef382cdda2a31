"""GET /runs: runs, newest first."""

from __future__ import annotations

from flask import Response
from pydantic import Field

from functions import _http
from runner.domain import run_view
from runner.domain.run import RunStatus, StageName
from runner.usecases import runs

bp = _http.blueprint(__name__)


class RunFilter(_http.Paging):
    paper_id: str | None = None
    status: _http.comma(RunStatus) = Field(default_factory=list)  # type: ignore[valid-type]
    stage: StageName | None = None


@bp.get("/runs")
def list_runs() -> Response:
    asked = _http.query(RunFilter)
    page = runs.page(
        _http.ports(),
        paper_id=asked.paper_id,
        statuses=asked.status,
        stage=asked.stage,
        after=_http.after(asked),
        limit=asked.limit,
        with_private=_http.may_see_private(),
    )
    return _http.page_reply(asked, "runs", page, run_view.summary)
