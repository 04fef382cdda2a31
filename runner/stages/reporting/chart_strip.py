"""Figure "rubric heat strip": every leaf as one cell."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from markupsafe import Markup

from runner.stages.reporting.criteria_part import STATUSES, Criterion
from runner.stages.reporting.svg import LINE, WIDTH, Drawing
from runner.stages.reporting.words import Words

SMALLEST_CELL = 0.6
TOP, BOTTOM = 20, 48


def heat_strip(words: Words, criteria: Sequence[Criterion]) -> Markup:
    """One cell per leaf in tree order, as wide as its share; a numbered bracket over each top-level part."""
    edges = _edges(criteria)
    drawing = Drawing("strip", WIDTH, BOTTOM, words.fonts)
    parts = itertools.groupby(range(len(criteria)), key=lambda index: criteria[index].pointer.split("/")[2:3])
    for number, (_, indexes) in enumerate(parts, 1):
        own = list(indexes)
        _bracket(drawing, edges[own[0]], edges[own[-1] + 1], number)
    for status in STATUSES:
        cells = [_cell(edges[i], edges[i + 1]) for i, each in enumerate(criteria) if each.status == status]
        if cells:
            drawing.state_path("".join(cells), status)
    counts = {status: sum(each.status == status for each in criteria) for status in STATUSES}
    return drawing.render(words("figure.strip.title"), words("figure.strip.description", **counts))


def _edges(criteria: Sequence[Criterion]) -> list[float]:
    """Where each cell begins, and where the last one ends."""
    widths = [max(WIDTH * float(each.weight_in_all), SMALLEST_CELL) for each in criteria]
    scale = WIDTH / sum(widths)
    return [0.0, *itertools.accumulate(width * scale for width in widths)]


def _cell(start: float, end: float) -> str:
    gap = 0.8 if end - start > 3 else 0.0
    return f"M{start:.2f},{TOP}H{end - gap:.2f}V{BOTTOM}H{start:.2f}z"


def _bracket(drawing: Drawing, start: float, end: float, number: int) -> None:
    drawing.line(start, TOP - 4, end - 1, TOP - 4, LINE, "stroke-line", 1.5)
    if end - start >= 14:
        drawing.text((start + end) / 2, TOP - 8, str(number), "middle", muted=True, size=10)
