"""GET /papers: search and list papers."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Response
from pydantic import Field

from functions import _http
from runner.domain.licence_terms import Scope
from runner.domain.papers import SourceType
from runner.usecases import papers

MOST_AT_ONCE = 1000
SortBy = Literal[
    "imported_at", "title", "year", "paper_id", "-imported_at", "-title", "-year", "-paper_id"
]  # fmt: skip

bp = _http.blueprint(__name__)


class ListPapers(_http.Paging):
    limit: Annotated[_http.Integer, Field(ge=1, le=100)] | None = None  # type: ignore[assignment]
    q: Annotated[str, Field(max_length=1000)] = ""
    scope: _http.comma(Scope) = Field(default_factory=list)  # type: ignore[valid-type]
    usable: _http.Flag | None = None
    source_type: _http.comma(SourceType) = Field(default_factory=list)  # type: ignore[valid-type]
    sort: SortBy = "-imported_at"


@bp.get("/papers")
def index() -> Response:
    asked = _http.query(ListPapers)
    page = papers.page(
        _http.ports(),
        q=asked.q,
        sort=asked.sort.removeprefix("-"),
        descending=asked.sort.startswith("-"),
        after=_http.after(asked),
        limit=asked.limit or (MOST_AT_ONCE if asked.cursor is None else 50),
        scopes=asked.scope,
        usable=asked.usable,
        source_types=asked.source_type,
        with_private=_http.may_see_private(),
    )
    return _http.page_reply(asked, "papers", page, lambda paper: papers.view(_http.ports(), paper))
