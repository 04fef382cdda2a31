"""The audit report of an ended run: one frozen model, and its text forms (reports-and-exports.md 1 to 4).

Pure functions of stored values: no clock, no chance, no database. The PDF is made elsewhere, from `render_html`.
"""

from __future__ import annotations

from collections.abc import Sequence

from runner.stages.reporting import html, markdown, model
from runner.stages.reporting.model import ReportModel
from runner.stages.reporting.stored import JsonObject

LANGUAGES = ("en", "ja", "zh")


def build(
    paper: JsonObject,
    run: JsonObject,
    results: JsonObject | None,
    rubric: JsonObject,
    log_tail: Sequence[str],
    version: str,
) -> ReportModel:
    """The model of one run.

    `paper` is the entry, `run` the answer of GET /run/{id}, `results` that of GET results (None for a run that ended
    without), `rubric` the facts of its version (`version`, `sha256`, `origin`, `leaves_count`, `tree`), `log_tail` the
    last lines of reproduce.log, `version` that of Reprise. Whatever is missing in them is reported as not recorded.
    """
    return model.build(paper, run, results, rubric, log_tail, version)


def render_html(model: ReportModel, language: str, printed: bool = False) -> str:
    """One self-contained HTML file. `printed` is the form for the PDF: above 2,000 criteria, the heaviest only."""
    return html.render(model, language, printed)


def render_markdown(model: ReportModel, language: str) -> str:
    """CommonMark with pipe tables, ending with one newline."""
    return markdown.render(model, language)
