"""Column types that mean the same on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, CheckConstraint, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from runner.domain import instants

Name = Text().with_variant(Text(collation="C"), "postgresql")
"""Text that is compared by code points on every server, so that keyset paging sees one order."""

Json = JSON(none_as_null=True)
"""JSON text with the order of keys kept (`json`, not `jsonb`)."""


class Instant(TypeDecorator[datetime]):
    """An aware datetime, stored as microseconds since 1970 UTC: sorts and round trips alike everywhere."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | int | None, dialect: Dialect) -> int | None:
        """Takes cursor values, too, which are microseconds already."""
        return instants.to_micros(value) if isinstance(value, datetime) else value

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        return None if value is None else instants.from_micros(value)


def one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)
