"""Reported against observed: one row per measurement."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from runner.stages.reporting import stored
from runner.stages.reporting.plain_text import one_line
from runner.stages.reporting.quantities import Difference
from runner.stages.reporting.stored import JsonObject

VERIFICATIONS = ("verified", "mismatched", "unverified", "review_required")


@dataclass(frozen=True, slots=True)
class Measurement:
    """`tolerance` is absolute; `tolerance_share` is the relative one it came from, in percent."""

    id: str
    claim_id: str | None
    metric: str
    dimensions: tuple[tuple[str, str], ...]
    unit: str | None
    reported: Decimal | None
    observed: Decimal | None
    difference: Difference | None
    tolerance: Decimal | None
    tolerance_share: Decimal | None
    verification: str


def read(results: JsonObject | None) -> tuple[Measurement, ...]:
    return tuple(_measurement(item) for item in stored.objects(results, "measurements"))


def _measurement(item: JsonObject) -> Measurement:
    reported, observed = stored.number(item, "reported_value"), stored.number(item, "observed_value")
    relative = stored.number(stored.child(item, "tolerance"), "relative")
    given = stored.number(item, "tolerance")
    tolerance = abs(reported) * relative if relative is not None and reported is not None else given
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
        tolerance=tolerance,
        tolerance_share=None if relative is None else relative * 100,
        verification=verification if verification in VERIFICATIONS else "unverified",
    )
