"""Regular expressions of rubrics, in RE2 syntax (https://github.com/google/re2/wiki/Syntax).

They take linear time whatever the pattern and the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import re2

LONGEST = 2000


class BadPattern(ValueError):
    """The text is no RE2 pattern; the message says why."""


@dataclass(frozen=True, slots=True)
class Match:
    """`start` and `group_start` are byte offsets; `group` is None when the chosen group took no part."""

    start: int
    group_start: int
    group: str | None


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern; `^` and `$` match at lines when it was made by `by_lines`."""

    text: str
    compiled: Any

    @property
    def value_group(self) -> int | None:
        """The group named `value`, else group 1, else None."""
        named: int | None = self.compiled.groupindex.get("value")
        return named or (1 if self.compiled.groups else None)

    def matches(self, text: str) -> bool:
        """Whether it matches anywhere in a text, which may hold lone surrogates."""
        return self.compiled.search(text.encode("utf-8", "surrogatepass")) is not None

    def find_all(self, data: bytes) -> Iterator[Match]:
        """Matches from left to right that do not overlap."""
        group = self.value_group or 0
        for found in self.compiled.finditer(data):
            value = found.group(group)
            text = None if value is None else value.decode("utf-8", "replace")
            yield Match(found.start(), found.start(group), text)


def compile(text: str) -> Pattern:
    """Raises BadPattern."""
    if len(text) > LONGEST:
        raise BadPattern(f"it is longer than {LONGEST} characters")
    options = re2.Options()
    options.log_errors = False
    try:
        return Pattern(text, re2.compile(text, options))
    except re2.error as error:
        reason = error.args[0]
        raise BadPattern(reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)) from None
    except UnicodeEncodeError:
        raise BadPattern("it holds a lone surrogate") from None


def by_lines(text: str) -> Pattern:
    """`^` and `$` match at line ends. Raises BadPattern."""
    return compile(f"(?m){text}")


def quote(text: str) -> str:
    quoted: str = re2.escape(text)
    return quoted
