"""Numbers as they were written: compared exactly, shown unchanged, never through binary floats."""

from __future__ import annotations

import decimal
import math
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

Exact = int | Fraction

_WRITTEN = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_LONGEST = 1000
_LARGEST_JSON_INTEGER = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Number:
    """`text` as somebody wrote it, `value` what it says exactly."""

    text: str
    value: Fraction

    def to_json(self) -> int | float:
        """A plain JSON number: an int where an int was written and a double holds it."""
        is_integer = self.text.lstrip("+-").isdigit()
        if is_integer and abs(self.value) <= _LARGEST_JSON_INTEGER:
            return int(self.value)
        return float(self.value)


def read(text: str) -> Number | None:
    """The decimal number written in `text`, or None when it is none or lies outside the range of a double.

    Surrounding white space and a plus sign are allowed; thousands separators, units, `NaN` and `inf` are not.
    """
    text = text.strip()
    if len(text) > _LONGEST or not _WRITTEN.match(text):
        return None
    nearest = float(text)
    if math.isinf(nearest) or (nearest == 0 and re.search("[1-9]", re.split("[eE]", text)[0])):
        return None
    return Number(text, Fraction(text))


def of_json(value: Any) -> Number:
    """The number of a parsed JSON document, read from the shortest text of its double.

    The hash of a rubric is defined over doubles (RFC 8785), so equal hashes must mean equal verdicts.
    """
    return Number(repr(value), exact(value))


def exact(value: int | float) -> Fraction:
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def is_finite(value: object) -> bool:
    """Whether a parsed JSON value is a number that a double can hold; booleans are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def plain(value: Exact) -> int | float:
    """The JSON number of an exact one: the integer itself, else the nearest double."""
    return int(value) if value.denominator == 1 else float(value)


def say(value: Exact) -> str:
    """An exact number for a sentence: `0.3`, `2`, `1E-7`; at most 12 significant digits."""
    if value.denominator == 1 and -(10**12) < value < 10**12:
        return str(value.numerator)
    with decimal.localcontext(prec=12, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN):
        return str((Decimal(value.numerator) / Decimal(value.denominator)).normalize())
