"""The report as one HTML file: no script, nothing fetched, readable from disk and on paper."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from runner.stages.reporting import chart_comparison, chart_scores, chart_strip, chart_timeline, explanation
from runner.stages.reporting.criteria_part import Criterion, Group
from runner.stages.reporting.model import ReportModel
from runner.stages.reporting.words import Words

PRINTED_LEAVES = 2_000
PRINTED_HEAVIEST = 200
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"


def render(model: ReportModel, language: str, printed: bool = False) -> str:
    """The whole page. `printed` is the form the PDF is made from: above 2,000 leaves, the heaviest only."""
    words = Words(language, escape, NO_BREAK_SPACE)
    is_short = printed and len(model.criteria) > PRINTED_LEAVES
    text: str = (
        _environment(language)
        .get_template("html/report.html")
        .render(
            model=model,
            groups=_heaviest(model) if is_short else model.groups,
            is_short=is_short,
            figures=Figures(words, model),
            footer=_footer(words, model.run_id),
            t=words,
        )
    )
    return text


class Figures:
    """What the templates draw."""

    def __init__(self, words: Words, model: ReportModel) -> None:
        self._words, self._model = words, model

    def score(self) -> Markup:
        return chart_scores.score_bar(self._words, self._model.verdict)

    def categories(self) -> Markup:
        return chart_scores.categories(self._words, self._model.rubric.categories)

    def strip(self) -> Markup:
        return chart_strip.heat_strip(self._words, self._model.criteria)

    def comparison(self, measurements: Sequence[Any], name: str) -> Markup:
        return chart_comparison.comparison(self._words, measurements, name)

    def timeline(self) -> Markup | None:
        """None when no stage has both times."""
        stages = self._model.reproduction.stages
        return chart_timeline.timeline(self._words, stages) if chart_timeline.has_spans(stages) else None


def _heaviest(model: ReportModel) -> tuple[Group, ...]:
    """The groups, left with the 200 heaviest criteria that are not met or not judged."""
    open_ones = [each for each in model.criteria if each.status != "met"]
    kept = {c.pointer for c in sorted(open_ones, key=lambda each: -each.weight_in_all)[:PRINTED_HEAVIEST]}
    cut = (replace(group, criteria=_only(group.criteria, kept)) for group in model.groups)
    return tuple(group for group in cut if group.criteria)


def _only(criteria: Sequence[Criterion], pointers: set[str]) -> tuple[Criterion, ...]:
    return tuple(each for each in criteria if each.pointer in pointers)


def _footer(words: Words, run_id: str) -> Markup:
    """The running footer as a CSS `content` value."""
    name = "".join(character for character in run_id if character.isalnum() or character in "_-")
    counters = {"page": Markup('" counter(page) "'), "pages": Markup('" counter(pages) "')}
    return Markup('"{}"').format(words("footer", run=Markup(name), **counters))


@functools.cache
def _environment(language: str) -> Environment:
    words = Words(language, escape, NO_BREAK_SPACE)
    environment = Environment(
        loader=PackageLoader("runner", "templates/report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=words.show,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["explain"] = explanation.to_html
    return environment
