"""Reported against observed: one row per measurement."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from runner.stages.reporting import stored
from runner.stages.reporting.plain_text import one_line
from runner.stages.reporting.quantities import Difference, Tolerance
from runner.stages.reporting.stored import JsonObject

VERIFICATIONS = ("verified", "mismatched", "unverified", "review_required")


@dataclass(frozen=True, slots=True)
class Measurement:
    id: str
    claim_id: str | None
    metric: str
    dimensions: tuple[tuple[str, str], ...]
    unit: str | None
    reported: Decimal | None
    observed: Decimal | None
    difference: Difference | None
    tolerance: Tolerance | None
    verification: str


def read(results: JsonObject | None) -> tuple[Measurement, ...]:
    return tuple(_measurement(item) for item in stored.objects(results, "measurements"))


def _measurement(item: JsonObject) -> Measurement:
    reported, observed = stored.number(item, "reported_value"), stored.number(item, "observed_value")
    verification = stored.text(item, "verification")
    return Measurement(
        id=stored.text(item, "measurement_id") or "",
        claim_id=stored.text(item, "claim_id"),
        metric=stored.text(item, "metric") or "",
        dimensions=tuple((one_line(name), one_line(value)) for name, value in stored.child(item, "dimensions").items()),
        unit=stored.text(item, "unit"),
        reported=reported,
        observed=observed,
        difference=None if reported is None or observed is None else Difference(observed - reported),
        tolerance=_tolerance(item, reported),
        verification=verification if verification in VERIFICATIONS else "unverified",
    )


def _tolerance(item: JsonObject, reported: Decimal | None) -> Tolerance | None:
    relative, given = stored.number(stored.child(item, "tolerance"), "relative"), stored.number(item, "tolerance")
    if relative is not None and reported is not None:
        return Tolerance(abs(reported) * relative, relative * 100)
    return None if given is None else Tolerance(given, None)
