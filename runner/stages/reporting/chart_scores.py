"""Figures "score" and "score by category"."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from runner.stages.reporting.rubric_part import CategoryFacts
from runner.stages.reporting.svg import TRACK, WIDTH, Drawing, cut
from runner.stages.reporting.verdict_part import Verdict
from runner.stages.reporting.words import Words

LEFT, RIGHT, ROW, BAR = 160, 70, 26, 14


def score_bar(words: Words, verdict: Verdict) -> Markup:
    """The whole score as one bar: reached solid, open hatched, lost empty."""
    low, high = float(verdict.low), float(verdict.high)
    drawing = Drawing("score", WIDTH, BAR, words.fonts)
    drawing.rect(0, 1, WIDTH, BAR - 2, TRACK, "fill-track", 3)
    if high > low:
        drawing.state(WIDTH * low, 1, WIDTH * (high - low), BAR - 2, "not_judged")
    drawing.state(0, 1, WIDTH * low, BAR - 2, "met", 3)
    return drawing.render(words("figure.score.title"), words("figure.score.description"))


def categories(words: Words, facts: Sequence[CategoryFacts]) -> Markup:
    """One bar per category: score solid, not judged hatched, the number at the end."""
    drawing = Drawing("categories", WIDTH, ROW * len(facts), words.fonts)
    room = WIDTH - LEFT - RIGHT
    for index, each in enumerate(facts):
        y = index * ROW + 6
        drawing.text(0, y + 11, cut(words.category(each.name), 24))
        drawing.rect(LEFT, y, room, BAR, TRACK, "fill-track", 2)
        met, unjudged = room * float(each.met_part), room * float(each.open_part)
        drawing.state(LEFT, y, met, BAR, "met", 2)
        if unjudged:
            drawing.state(LEFT + met, y, unjudged, BAR, "not_judged")
        number = words("status.not_judged") if each.score is None else words.show(each.score)
        drawing.text(WIDTH, y + 11, number, "end")
    return drawing.render(words("figure.categories.title"), words("figure.categories.description"))
