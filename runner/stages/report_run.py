"""Rendering the missing files of a report: HTML and Markdown from one model, the PDF from the HTML."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any

from runner import __version__
from runner.domain import report_files, run_view
from runner.domain.errors import DomainError
from runner.domain.run import Run
from runner.ports import Ports
from runner.stages import report
from runner.stages.reporting.model import ReportModel

LOG_TAIL_LINES = 60


def render_missing(ports: Ports, run: Run, results: dict[str, Any] | None, keys: Mapping[tuple[str, str], str]) -> None:
    """Stores every file of `keys` (by language and format) that is not there. Safe to run twice: equal bytes, equal keys."""
    wanted = {file: key for file, key in keys.items() if not ports.objects.exists(key)}
    if not wanted:
        return
    model = report.build(
        paper=run.paper,
        run=run_view.status(run),
        results=results,
        rubric=_rubric_facts(ports, run),
        log_tail=[line.msg for line in ports.log.tail(run.run_id, LOG_TAIL_LINES) if line.stage == "reproduce"],
        version=__version__,
    )
    for (language, kind), key in wanted.items():
        try:
            data = _render(ports, model, run, language, kind)
        except DomainError as error:
            note = {"code": error.code, "message": error.message, "at": ports.clock.now().timestamp()}
            _store(ports, report_files.note_key(key), json.dumps(note).encode(), "application/json")
        else:
            _store(ports, key, data, report_files.CONTENT_TYPES[kind])


def _render(ports: Ports, model: ReportModel, run: Run, language: str, kind: str) -> bytes:
    match kind:
        case "md":
            return report.render_markdown(model, language).encode()
        case "html":
            return report.render_html(model, language).encode()
        case _:
            return ports.pdfs.render(report.render_html(model, language, printed=True), language, run.run_id)


def _rubric_facts(ports: Ports, run: Run) -> dict[str, Any]:
    rubric = ports.rubrics.get(run.rubric_id)
    return {
        "rubric_id": rubric.rubric_id,
        "version": rubric.version,
        "sha256": rubric.sha256,
        "origin": rubric.origin,
        "leaves_count": rubric.leaves_count,
        "categories": rubric.categories,
        "created_at": run_view.timestamp(rubric.created_at),
        "tree": rubric.tree,
    }


def _store(ports: Ports, key: str, data: bytes, content_type: str) -> None:
    ports.objects.put(key, io.BytesIO(data), content_type)
