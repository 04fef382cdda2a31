"""Figure "reported against observed": how many tolerances an observation lies away from what the paper says."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from markupsafe import Markup

from runner.stages.reporting.measurement_part import Measurement
from runner.stages.reporting.svg import COLOURS, INK, LINE, WIDTH, Drawing, cut
from runner.stages.reporting.words import Words

ROW, LEFT, RIGHT = 28, 200, 120
REACH = 4
"""A row shows the reported value plus and minus this many tolerances."""


def comparison(words: Words, measurements: Sequence[Measurement], name: str) -> Markup:
    """One row per measurement: tolerance band, reported tick, observed dot, an arrow for what lies outside."""
    drawing = Drawing(name, WIDTH, ROW * len(measurements), words.fonts)
    for index, each in enumerate(measurements):
        _row(drawing, words, each, index * ROW + ROW / 2)
    return drawing.render(words("figure.comparison.title"), words("figure.comparison.description"))


def _row(drawing: Drawing, words: Words, each: Measurement, y: float) -> None:
    middle, reach = (LEFT + WIDTH - RIGHT) / 2, (WIDTH - LEFT - RIGHT) / 2
    band = reach / REACH if _allowed(each) else 2.0
    drawing.text(0, y + 4, cut(each.id, 30))
    drawing.line(middle - reach, y, middle + reach, y, LINE, "stroke-line")
    drawing.band(middle - band, y - 7, 2 * band, 14)
    drawing.line(middle, y - 9, middle, y + 9, INK, "stroke-ink", 1.4)
    offset = _offset(each)
    if offset is None:
        drawing.text(WIDTH, y + 4, words("figure.comparison.not_observed"), "end", muted=True)
        return
    drawing.text(WIDTH, y + 4, words.show(each.observed), "end")
    colour, kind = _colour(each)
    if abs(offset) <= REACH:
        drawing.circle(middle + reach * float(offset) / REACH, y, 4.2, colour, kind)
    else:
        side = 1 if offset > 0 else -1
        tip = middle + side * (reach + 8)
        drawing.path(f"M{tip:.2f},{y:.2f}l{-9 * side},-5.5v11z", colour, kind)


def _offset(each: Measurement) -> Decimal | None:
    """How many tolerances the observation lies away; with a tolerance of 0, zero or far outside."""
    if each.difference is None:
        return None
    allowed = _allowed(each)
    if not allowed:
        return Decimal(0) if each.difference.value == 0 else Decimal(2 * REACH).copy_sign(each.difference.value)
    return each.difference.value / allowed


def _allowed(each: Measurement) -> Decimal:
    return Decimal(0) if each.tolerance is None else each.tolerance.absolute


def _colour(each: Measurement) -> tuple[str, str]:
    status = {"verified": "met", "mismatched": "not_met"}.get(each.verification, "not_judged")
    return COLOURS[status], f"fill-{status}"
