"""API keys in SQL."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import RowMapping, insert, select, update

from runner.adapters.sql import schema
from runner.adapters.sql.engine import Database
from runner.domain.access import Key

_KEYS = schema.keys.c


class SqlKeys:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, key: Key) -> None:
        row = {name: getattr(key, name) for name in Key.__dataclass_fields__}
        with self._database.writing() as connection:
            connection.execute(insert(schema.keys).values(row))

    def find(self, secret_sha256: str) -> Key | None:
        with self._database.reading() as connection:
            statement = select(schema.keys).where(_KEYS.secret_sha256 == secret_sha256)
            row = connection.execute(statement).mappings().one_or_none()
        return _key(row) if row else None

    def all(self) -> tuple[Key, ...]:
        with self._database.reading() as connection:
            statement = select(schema.keys).order_by(_KEYS.created_at, _KEYS.key_id)
            return tuple(_key(row) for row in connection.execute(statement).mappings())

    def revoke(self, key_id: str, now: datetime) -> bool:
        valid = (_KEYS.key_id == key_id, _KEYS.revoked_at.is_(None))
        with self._database.writing() as connection:
            return connection.execute(update(schema.keys).where(*valid).values(revoked_at=now)).rowcount == 1


def _key(row: RowMapping) -> Key:
    return Key(**{**row, "scopes": tuple(row["scopes"])})
