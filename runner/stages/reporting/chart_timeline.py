"""Figure "stage timeline": when which stage waited and worked."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from markupsafe import Markup

from runner.stages.reporting import quantities
from runner.stages.reporting.reproduction_part import StageTime
from runner.stages.reporting.svg import COLOURS, LINE, WIDTH, Drawing, cut
from runner.stages.reporting.words import Words

LEFT, RIGHT, ROW, BAR = 160, 90, 24, 14


def timeline(words: Words, stages: Sequence[StageTime]) -> Markup:
    """One bar per stage that ran: waiting hollow, working solid, failed hatched."""
    spans = [(each, *span) for each in stages if (span := _span(each)) is not None]
    whole = max((end for _, _, end in spans), default=Decimal(0)) or Decimal(1)
    drawing = Drawing("timeline", WIDTH, ROW * len(spans), words.fonts)
    for index, (stage, start, end) in enumerate(spans):
        y = index * ROW + ROW / 2
        _row(drawing, words, stage, y, (start / whole, end / whole), (stage.waited or Decimal(0)) / whole)
        drawing.text(WIDTH, y + 4, words.show(quantities.seconds(end - start)), "end")
    return drawing.render(words("figure.timeline.title"), words("figure.timeline.description"))


def has_spans(stages: Sequence[StageTime]) -> bool:
    return any(_span(each) for each in stages)


def _span(stage: StageTime) -> tuple[Decimal, Decimal] | None:
    return None if stage.starts is None or stage.ends is None else (stage.starts, stage.ends)


def _row(
    drawing: Drawing, words: Words, stage: StageTime, y: float, part: tuple[Decimal, Decimal], waited: Decimal
) -> None:
    """`part` and `waited` are fractions of the whole time."""
    room = WIDTH - LEFT - RIGHT
    start, end = (LEFT + room * float(edge) for edge in part)
    drawing.text(0, y + 4, cut(words.either(f"stage.{stage.name}", stage.name), 24))
    drawing.line(LEFT, y, WIDTH - RIGHT, y, LINE, "stroke-line", 0.6)
    if waited:
        hollow = min(room * float(waited), start - LEFT)
        drawing.outline(start - hollow, y - 4, hollow, 8)
    if stage.state == "succeeded":
        drawing.rect(start, y - BAR / 2, max(end - start, 2), BAR, COLOURS["accent"], "fill-accent", 2)
    else:
        drawing.state(start, y - BAR / 2, max(end - start, 2), BAR, "not_met")
