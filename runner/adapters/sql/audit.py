"""The audit trail: rows are only ever added, in the transaction of what they tell of."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, insert

from runner.adapters.sql import schema
from runner.domain.access import AuditRow


def write(connection: Connection, rows: Iterable[AuditRow]) -> None:
    values = [{"at": row.at, "actor": row.actor, "action": row.action, "subject": row.subject} for row in rows]
    if values:
        connection.execute(insert(schema.audit), values)
