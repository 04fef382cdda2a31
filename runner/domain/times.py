"""How a moment is written in answers."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_text(moment: datetime) -> str:
    """`2026-05-13T05:57:00.000000Z`: UTC, always six decimals, so that texts sort like the moments they stand for."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
