"""GET /run/{job_id}/report: the audit report as files in the object store."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Response
from pydantic import AfterValidator, BaseModel

from functions import _http
from runner.domain.report_files import FORMATS, OUTPUT_ROOT_RULE, ReportRequest, is_output_root
from runner.usecases import reports

bp = _http.blueprint(__name__)
RETRY_AFTER_S = 2


def _output_root(value: str) -> str:
    if not is_output_root(value.removesuffix("/")):
        raise ValueError(OUTPUT_ROOT_RULE)
    return value.removesuffix("/")


class ReportQuery(BaseModel):
    languages: _http.comma(Literal["en", "ja", "zh"]) = ["en"]  # type: ignore[valid-type]
    formats: _http.comma(Literal["pdf", "html", "md"]) = list(FORMATS)  # type: ignore[valid-type]
    output_root: Annotated[str, AfterValidator(_output_root)] | None = None


@bp.get("/run/<job_id>/report")
def report(job_id: str) -> Response:
    asked = _http.query(ReportQuery)
    request = ReportRequest(
        tuple(dict.fromkeys(asked.languages)), tuple(dict.fromkeys(asked.formats)), asked.output_root or ""
    )
    answer = reports.get(_http.ports(), run_id=job_id, request=request, with_private=_http.may_see_private())
    if answer is None:
        return _http.reply({"status": "rendering", "retry_after": RETRY_AFTER_S}, 202)
    return _http.reply(answer)
