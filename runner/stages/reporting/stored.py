"""Reading stored JSON that may lack anything: a missing or wrong value is None, never an exception and never a zero."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from runner.stages.reporting.plain_text import clean, one_line

JsonObject = Mapping[str, Any]


def child(source: JsonObject | None, key: str) -> JsonObject:
    """The object under `key`, or an empty one."""
    value = (source or {}).get(key)
    return value if isinstance(value, Mapping) else {}


def items(source: JsonObject | None, key: str) -> list[Any]:
    value = (source or {}).get(key)
    return list(value) if isinstance(value, list | tuple) else []


def objects(source: JsonObject | None, key: str) -> list[JsonObject]:
    return [item for item in items(source, key) if isinstance(item, Mapping)]


def text(source: JsonObject | None, key: str) -> str | None:
    """One line of cleaned text; None when it is absent or blank."""
    value = (source or {}).get(key)
    return None if value is None else one_line(value) or None


def block(source: JsonObject | None, key: str) -> str | None:
    """Cleaned text with its line breaks."""
    value = (source or {}).get(key)
    return None if value is None else clean(value).strip() or None


def number(source: JsonObject | None, key: str) -> Decimal | None:
    """A finite number as the decimal that was written; booleans and texts are none."""
    value = (source or {}).get(key)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    try:
        found = Decimal(str(value))
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


def count(source: JsonObject | None, key: str) -> int | None:
    value = number(source, key)
    return None if value is None else int(value)


def flag(source: JsonObject | None, key: str) -> bool:
    return (source or {}).get(key) is True


def moment(source: JsonObject | None, key: str) -> datetime | None:
    """A UTC time such as `2026-05-13T05:57:00Z`, with or without a fraction."""
    value = (source or {}).get(key)
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
    except ValueError:
        return None
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def percent(fraction: Decimal | None) -> Decimal | None:
    """0..1 as percent with one decimal; 100.0 and 0.0 are said of exactly 1 and 0 alone."""
    if fraction is None:
        return None
    rounded = (fraction * 100).quantize(Decimal("0.1"))
    if fraction < 1 and rounded >= 100:
        return Decimal("99.9")
    return Decimal("0.1") if fraction > 0 and rounded <= 0 else rounded
