"""Numbers with their meaning, rounded once: every format and language shows these same values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from runner.stages.reporting import stored


@dataclass(frozen=True, slots=True)
class Percent:
    """0..100 with one decimal (a share of less than 1 % keeps two significant digits)."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class Seconds:
    value: Decimal


@dataclass(frozen=True, slots=True)
class Bytes:
    value: int


@dataclass(frozen=True, slots=True)
class Difference:
    """Observed minus reported, shown with its sign."""

    value: Decimal


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far off is still near enough; `share` is the relative one it came from, in percent."""

    absolute: Decimal
    share: Decimal | None


@dataclass(frozen=True, slots=True)
class Usd:
    value: Decimal


@dataclass(frozen=True, slots=True)
class Phrase:
    """A sentence of the catalogue and what stands in its placeholders; `n` decides singular and plural."""

    key: str
    values: Mapping[str, Shown] = field(default_factory=dict)


Shown = str | int | Decimal | Percent | Seconds | Bytes | Difference | Tolerance | Usd | Phrase | None


def percent(fraction: Decimal | None) -> Percent | None:
    """Of a number between 0 and 1."""
    rounded = stored.percent(fraction)
    return None if rounded is None else Percent(rounded)


def share(fraction: Decimal | None) -> Percent | None:
    """As `percent`, but a criterion that counts little does not vanish: 0.0123 % is 0.012 %."""
    if fraction is None or fraction * 100 >= 1 or fraction <= 0:
        return percent(fraction)
    hundredths = fraction * 100
    return Percent(round(hundredths, 1 - hundredths.adjusted()).normalize())


def seconds(value: Decimal | None) -> Seconds | None:
    """Tenths, below one second hundredths."""
    return None if value is None else Seconds(value.quantize(Decimal("0.1" if value >= 1 else "0.01")))
