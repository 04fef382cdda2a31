"""The fixed text of a report in one language, and how values are written in it.

Catalogues are flat JSON: dotted keys, whole sentences with named placeholders `{name}`, or `{"one", "other"}` chosen
by `n` (`other` alone in Japanese and Chinese). Data goes into placeholders and is never looked up or translated.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from importlib import resources
from typing import Any

from babel import Locale
from babel.dates import format_date, format_time
from babel.numbers import format_decimal
from markupsafe import Markup

from runner.stages.reporting.quantities import Bytes, Difference, Percent, Phrase, Seconds, Tolerance, Usd

LOCALES = {"en": "en", "ja": "ja", "zh": "zh_Hans"}
HTML_LANGUAGES = {"en": "en", "ja": "ja", "zh": "zh-Hans"}
FONTS = {
    "en": '"Noto Sans", "DejaVu Sans", "Noto Sans CJK JP"',
    "ja": '"Noto Sans CJK JP", "Noto Sans"',
    "zh": '"Noto Sans CJK SC", "Noto Sans"',
}
MONOSPACE = {
    "en": '"Noto Sans Mono CJK JP", "DejaVu Sans Mono"',
    "ja": '"Noto Sans Mono CJK JP", "DejaVu Sans Mono"',
    "zh": '"Noto Sans Mono CJK SC", "DejaVu Sans Mono"',
}
_MARKS = {
    "en": {"gap": " ", "colon": ": ", "comma": ", ", "stop": ". ", "open": " (", "close": ")"},
    "ja": {"gap": "", "colon": "：", "comma": "、", "stop": "。", "open": "（", "close": "）"},
    "zh": {"gap": "", "colon": "：", "comma": "、", "stop": "。", "open": "（", "close": "）"},
}
_PLACEHOLDER = re.compile(r"\{([a-z_0-9]+)\}")

Escape = Callable[[str], Markup]
Catalogue = Mapping[str, str | Mapping[str, str]]


class Words:
    """Calling it gives a sentence; `show` writes any value. Both return Markup: text that needs no further escaping.

    `escape` makes data safe in the format. `space` stands between number and percent sign in English. `mark` holds the
    punctuation between sentences and values; `gap` stands between two sentences.
    """

    def __init__(self, language: str, escape: Escape, space: str) -> None:
        self.language = language
        self.fonts, self.monospace, self.html_language = FONTS[language], MONOSPACE[language], HTML_LANGUAGES[language]
        self.mark = {name: Markup(mark) for name, mark in _MARKS[language].items()}
        self._catalogue = catalogue(language)
        self._locale = Locale.parse(LOCALES[language])
        self._escape = escape
        self._space = space if language == "en" else ""

    def __call__(self, key: str, **values: Any) -> Markup:
        """The sentence of `key`, its placeholders filled by `show`. KeyError for a key or value that is not there."""
        return Markup(_PLACEHOLDER.sub(lambda found: str(self.show(values[found[1]])), self._sentence(key, values)))

    def knows(self, key: str) -> bool:
        return key in self._catalogue

    def either(self, key: str, data: str) -> Markup:
        """The word for an enumerated value, or the value itself when a newer version wrote one we have no word for."""
        return self(key) if self.knows(key) else self.show(data)

    def category(self, name: str) -> Markup:
        """A task category: PaperBench's names have words in every language."""
        key = "category." + name.lower().replace(" ", "_")
        return self(key) if self.knows(key) else self.show(name)

    def show(self, value: Any) -> Markup:
        """A value of the model as text in this language and format."""
        match value:
            case Markup():
                return value
            case None:
                return self("not_recorded")
            case Phrase():
                return self(value.key, **value.values)
            case str():
                return self._escape(value)
            case datetime():
                return self._moment(value)
            case Percent():
                return Markup(f"{self._decimal(value.value, '#,##0.0####')}{self._space}%")
            case Difference():
                return Markup(("+" if value.value > 0 else "") + self._number(value.value))
            case Tolerance():
                return self._tolerance(value)
            case Seconds():
                return self._duration(value.value)
            case Bytes():
                return self._size(value.value)
            case Usd():
                return self("cost.usd", usd=Markup(self._decimal(value.value, "#,##0.00##")))
            case int() | Decimal():
                return Markup(self._number(Decimal(value)))
        raise TypeError(f"a report cannot show a {type(value).__name__}")

    def _sentence(self, key: str, values: Mapping[str, Any]) -> str:
        found = self._catalogue[key]
        if isinstance(found, str):
            return found
        form = self._locale.plural_form(values["n"])
        return found.get(form) or found["other"]

    def _number(self, value: Decimal) -> str:
        """At most six significant digits behind the point, exponents for what is tiny or huge."""
        if value and not Decimal("0.0001") <= abs(value) < Decimal(10**12):
            return self._decimal(value, "0.#####E0").replace("E", "e")
        digits = 6 if abs(value) >= 1 or not value else 6 - value.adjusted() - 1
        return self._decimal(value, "#,##0." + "#" * digits)

    def _decimal(self, value: Decimal, pattern: str) -> str:
        sign = "\N{MINUS SIGN}" if value < 0 else ""
        return sign + str(format_decimal(abs(value), format=pattern, locale=self._locale))

    def _tolerance(self, value: Tolerance) -> Markup:
        absolute = self._number(value.absolute)
        if value.share is None:
            return Markup(f"±{absolute}")
        return Markup(f"±{self._number(value.share)}{self._space}%{self.mark['open']}{absolute}{self.mark['close']}")

    def _moment(self, value: datetime) -> Markup:
        day = format_date(value.date(), format="long", locale=self._locale)
        return self("moment", date=Markup(day), time=Markup(format_time(value.time(), "HH:mm:ss", locale=self._locale)))

    def _duration(self, value: Decimal) -> Markup:
        if value < 60:
            return self("duration.seconds", s=value)
        minutes, s = divmod(int(value.to_integral_value()), 60)
        if minutes < 60:
            return self("duration.minutes", m=minutes, s=s) if s else self("duration.whole_minutes", m=minutes)
        h, m = divmod(minutes, 60)
        return self("duration.hours", h=h, m=m) if m else self("duration.whole_hours", h=h)

    def _size(self, value: int) -> Markup:
        for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
            if value >= factor:
                return Markup(f"{self._decimal(Decimal(value) / factor, '#,##0.0')} {unit}")
        return Markup(f"{value} B")


@functools.cache
def catalogue(language: str) -> Catalogue:
    """The file `runner/templates/report/<language>.json`."""
    path = resources.files("runner") / "templates" / "report" / f"{language}.json"
    found: Catalogue = json.loads(path.read_text("utf-8"))
    return found
