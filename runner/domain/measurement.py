"""Comparing what was observed with what the paper reports, as decimals of the written numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from runner.domain import extract, numbers
from runner.domain.criterion import Measurement
from runner.domain.extract import Ambiguous, Observation
from runner.domain.numbers import Number
from runner.domain.sources import Sources, Unreadable

_IN_A_FILE = ("value_unreadable", "value_not_finite")
Verification = Literal["verified", "mismatched", "unverified", "review_required"]


@dataclass(frozen=True, slots=True)
class Measured:
    """One measurement of one run. `observed` is None exactly when it is unverified or needs review.

    `sentence` says how it came out, `reason` is the code of what kept it from being compared, `path` the file that was
    looked into.
    """

    pointer: str
    measurement: Measurement
    verification: Verification
    sentence: str
    observed: Number | None = None
    reason: str | None = None
    path: str | None = None
    line: int | None = None

    @property
    def observed_json(self) -> int | float | None:
        return None if self.observed is None else self.observed.to_json()


def unexecuted(pointer: str, measurement: Measurement, sentence: str, reason: str) -> Measured:
    """A measurement of a run that executed nothing."""
    return Measured(pointer, measurement, "unverified", sentence, reason=reason)


def measure_all(sources: Sources, measurements: Iterable[tuple[str, Measurement]]) -> list[Measured]:
    """Observes and compares measurements, given with the JSON pointers of their leaves.

    One number never stands for several measurements: those that were read from one place all need review.
    """
    found = [(pointer, measurement, _observe(sources, measurement)) for pointer, measurement in measurements]
    places = Counter((o.path, o.place) for _, _, o in found if isinstance(o, Observation))
    shared = {place for place, times in places.items() if times > 1}
    return [_measure(sources, *each, shared=shared) for each in found]


def verify(measurement: Measurement, observed: Number) -> tuple[Verification, str]:
    """`verified` when |observed - reported| is at most the tolerance, boundary included; exact."""
    difference = abs(observed.value - measurement.reported.value)
    allowed = _say_allowed(measurement)
    reported = measurement.reported.text
    if difference <= measurement.allowed:
        return "verified", f"{observed.text} is within {allowed} of {reported}."
    by = numbers.say(difference)
    return "mismatched", f"{observed.text} is not within {allowed} of {reported}: it differs by {by}."


def _observe(sources: Sources, measurement: Measurement) -> Observation | Unreadable | Ambiguous:
    try:
        return extract.observe(sources, measurement)
    except (Unreadable, Ambiguous) as nothing:
        return nothing


def _measure(
    sources: Sources, pointer: str, measurement: Measurement, found: Any, shared: set[tuple[str, str]]
) -> Measured:
    if isinstance(found, Unreadable):
        path = extract.file_of(measurement) if found.code in _IN_A_FILE else None
        return Measured(pointer, measurement, "unverified", found.sentence, reason=found.code, path=path)
    if isinstance(found, Ambiguous):
        return _for_review(pointer, measurement, found.sentence, found.path)
    if (found.path, found.place) in shared:
        sentence = f"The same number in {found.path} would have to stand for several measurements."
        return _for_review(pointer, measurement, sentence, found.path)
    verification, sentence = verify(measurement, found.number)
    if sources.is_unchanged(found.path):
        sentence += f" The run did not change {found.path}: it came with the submission."
    measured = Measured(pointer, measurement, verification, sentence, found.number)
    return replace(measured, path=found.path, line=found.line)


def _for_review(pointer: str, measurement: Measurement, sentence: str, path: str) -> Measured:
    text = f"{sentence} A person has to decide."
    return Measured(pointer, measurement, "review_required", text, reason="review_required", path=path)


def _say_allowed(measurement: Measurement) -> str:
    amount = measurement.tolerance.amount
    if not measurement.tolerance.is_relative:
        return amount.text
    return f"{numbers.say(measurement.allowed)} (relative {amount.text})"
