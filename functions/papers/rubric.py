"""PUT and GET /papers/{paper_id}/rubric: the versions of a paper's rubric."""

from __future__ import annotations

from typing import Annotated

from flask import Response
from pydantic import BaseModel, Field

from functions import _http
from functions import _paper_fields as f
from runner.usecases import papers, rubrics

bp = _http.blueprint(__name__)
MOST = 2**31 - 1


class PutRubric(BaseModel):
    """`if_version` 0: only if there is none yet."""

    if_version: Annotated[_http.Integer, Field(ge=0, le=MOST)] | None = None


class GetRubric(BaseModel):
    version: Annotated[_http.Integer, Field(ge=1, le=MOST)] | None = None


@bp.put("/papers/<paper_id>/rubric")
def put(paper_id: str) -> Response:
    asked = _http.query(PutRubric)
    done = rubrics.put(
        _http.ports(),
        paper_id=paper_id,
        body=_http.json_bytes(),
        if_version=asked.if_version,
        intake=f.intake(),
        actor=_http.actor(),
    )
    answer = rubrics.summary(done.rubric) | {"warnings": done.warnings}
    if done.outcome == "flags":
        answer["flags_updated"] = True
    return _http.reply(answer, 201 if done.outcome == "created" else 200)


@bp.get("/papers/<paper_id>/rubric")
def get(paper_id: str) -> Response:
    asked = _http.query(GetRubric)
    paper = papers.get(_http.ports(), paper_id=paper_id, with_private=_http.may_see_private())
    return _http.reply(rubrics.view(rubrics.get(_http.ports(), paper=paper, version=asked.version)))
