"""A few SVG marks for the figures. Text in, text out; no position is computed here.

Fills carry the light colours, so that a PDF needs no style sheet, and classes, so that a browser can turn them dark.
Every `<text>` sets its own `font-family`: WeasyPrint 70 does not inherit the page's fonts into SVG.
"""

from __future__ import annotations

import unicodedata

from markupsafe import Markup, escape

WIDTH = 640

PAGE, INK, MUTED, LINE, TRACK = "#ffffff", "#1c2127", "#59636e", "#c9d0d7", "#eceff2"
COLOURS = {"met": "#2b7a58", "not_met": "#b5362c", "not_judged": "#8a94a0", "accent": "#2f5f8f"}
_HATCHES = {
    # status: class and colour of the ground, class, colour and path of the stripes
    "not_met": ("fill-not_met", COLOURS["not_met"], "stroke-page", PAGE, "M-1,5L5,-1"),
    "not_judged": ("fill-page", PAGE, "stroke-not_judged", COLOURS["not_judged"], "M0,0L4,4M-1,3L1,5M3,-1L5,1"),
}


class Drawing:
    """One figure. `name` makes its ids unique on the page; `fonts` is the font stack of its texts."""

    def __init__(self, name: str, width: float, height: float, fonts: str) -> None:
        self._name, self._width, self._height = name, width, height
        self._fonts = fonts.replace('"', "'")
        self._parts: list[str] = []

    def rect(self, x: float, y: float, width: float, height: float, fill: str, kind: str, radius: float = 0) -> None:
        """`kind` is the class; `fill` a colour, or what `pattern` gave."""
        round_ = f' rx="{_n(radius)}"' if radius else ""
        self._parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0))}" height="{_n(height)}"{round_} '
            f'fill="{fill}" class="{kind}"/>'
        )

    def state(self, x: float, y: float, width: float, height: float, status: str, radius: float = 0) -> None:
        """A mark in the colour and pattern of `met`, `not_met` or `not_judged`."""
        if status == "met":
            self.rect(x, y, width, height, COLOURS["met"], "fill-met", radius)
        else:
            self.rect(x, y, width, height, f"url(#{self._name}-{status})", f"hatch-{status}", radius)

    def state_path(self, d: str, status: str) -> None:
        """A path in the colour and pattern of a status."""
        if status == "met":
            self.path(d, COLOURS["met"], "fill-met")
        else:
            self.path(d, f"url(#{self._name}-{status})", f"hatch-{status}")

    def band(self, x: float, y: float, width: float, height: float) -> None:
        """A translucent band in the accent colour."""
        self._parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="2" '
            f'fill="{COLOURS["accent"]}" fill-opacity="0.2" class="fill-accent"/>'
        )

    def outline(self, x: float, y: float, width: float, height: float) -> None:
        """A hollow rectangle."""
        self._parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(max(width, 0))}" height="{_n(height)}" fill="none" '
            f'stroke="{MUTED}" class="stroke-muted"/>'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: str, kind: str, width: float = 1) -> None:
        self._parts.append(
            f'<line x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" stroke="{colour}" '
            f'stroke-width="{_n(width)}" class="{kind}"/>'
        )

    def path(self, d: str, fill: str, kind: str) -> None:
        self._parts.append(f'<path d="{d}" fill="{fill}" class="{kind}"/>')

    def circle(self, x: float, y: float, radius: float, fill: str, kind: str) -> None:
        self._parts.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" fill="{fill}" class="{kind}"/>')

    def text(self, x: float, y: float, text: str, anchor: str = "start", muted: bool = False, size: float = 11) -> None:
        """`text` is escaped unless it is Markup."""
        colour, kind = (MUTED, "text-muted") if muted else (INK, "text")
        self._parts.append(
            f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" text-anchor="{anchor}" fill="{colour}" '
            f'class="{kind}" font-family="{self._fonts}">{escape(text)}</text>'
        )

    def render(self, title: str, description: str) -> Markup:
        """The `<svg>` element. The patterns are there only if they are used."""
        body = "".join(self._parts)
        patterns = "".join(self._pattern(status) for status in _HATCHES if f"#{self._name}-{status})" in body)
        return Markup(
            f'<svg viewBox="0 0 {_n(self._width)} {_n(self._height)}" width="{_n(self._width)}" '
            f'height="{_n(self._height)}" role="img" aria-labelledby="{self._name}-title {self._name}-desc">'
            f'<title id="{self._name}-title">{escape(title)}</title>'
            f'<desc id="{self._name}-desc">{escape(description)}</desc>'
            f"{f'<defs>{patterns}</defs>' if patterns else ''}{body}</svg>"
        )

    def _pattern(self, status: str) -> str:
        ground_class, ground, stripe_class, stripe, d = _HATCHES[status]
        return (
            f'<pattern id="{self._name}-{status}" width="4" height="4" patternUnits="userSpaceOnUse">'
            f'<rect width="4" height="4" fill="{ground}" class="{ground_class}"/>'
            f'<path d="{d}" stroke="{stripe}" class="{stripe_class}" fill="none"/></pattern>'
        )


def cut(text: str, columns: int) -> str:
    """`text`, unescaped, shortened to so many columns; East Asian wide characters take two."""
    plain = text.unescape() if isinstance(text, Markup) else text
    taken = 0
    for index, character in enumerate(plain):
        taken += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if taken > columns:
            return plain[: max(index - 1, 0)].rstrip() + "…"
    return plain


def _n(value: float) -> str:
    """At most two digits behind the point, none of them superfluous."""
    return f"{float(value):.2f}".rstrip("0").rstrip(".")
