"""The rule of a criterion that needs no judge: what was reported, where the observed value is, what must be there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from runner.domain.numbers import Number
from runner.domain.patterns import Pattern


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Absolute, or a share of |reported|; both inclusive."""

    amount: Number
    is_relative: bool


@dataclass(frozen=True, slots=True)
class InMeasurements:
    """The entry of the measurement's id in `measurements.json`."""


@dataclass(frozen=True, slots=True)
class InJson:
    """`tokens` of an RFC 6901 pointer, unescaped."""

    file: str
    pointer: str
    tokens: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InTable:
    """A cell of a CSV or TSV with header, in data row `row` (from 0, negative from the end) or the one `where` hits."""

    file: str
    column: str
    row: int | None
    where: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class InText:
    """The group of the last match."""

    file: str
    pattern: Pattern


Extract = InMeasurements | InJson | InTable | InText


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number the paper reports, and how far off an observed one may be."""

    id: str
    metric: str
    unit: str | None
    dimensions: Mapping[str, str]
    reported: Number
    tolerance: Tolerance
    extract: Extract

    @property
    def allowed(self) -> Fraction:
        """The largest |observed - reported| that verifies it."""
        amount = self.tolerance.amount.value
        return amount * abs(self.reported.value) if self.tolerance.is_relative else amount


@dataclass(frozen=True, slots=True)
class ArtifactCheck:
    """A plain file of at least `min_bytes` matches `path`; `produced`: it must be new or changed by content."""

    path: str
    pattern: Pattern
    min_bytes: int
    sha256: str | None
    produced: bool


@dataclass(frozen=True, slots=True)
class CommandCheck:
    """`run` (no shell) ends with `exit_code`, and its output matches `stdout_pattern` if there is one."""

    run: tuple[str, ...]
    timeout_s: int
    exit_code: int
    stdout_pattern: Pattern | None


@dataclass(frozen=True, slots=True)
class RegexCheck:
    """`pattern` matches at least `min_matches` times in `file`."""

    file: str
    pattern: Pattern
    min_matches: int


Check = ArtifactCheck | CommandCheck | RegexCheck
