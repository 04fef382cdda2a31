"""What keeps the house: who may and did do what, answers given once, who is alive."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, Table, Text

from runner.adapters.sql.columns import Instant, Json, Name
from runner.adapters.sql.schema.metadata import metadata

audit = Table(
    "audit",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("at", Instant, nullable=False),
    Column("actor", Text),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
)

idempotency = Table(
    "idempotency",
    metadata,
    Column("key", Name, primary_key=True),
    Column("body_sha256", Text, nullable=False),
    Column("answer", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
)

keys = Table(
    "keys",
    metadata,
    Column("key_id", Name, primary_key=True),
    Column("name", Text, nullable=False),
    Column("scopes", Json, nullable=False),
    Column("secret_sha256", Name, nullable=False, unique=True),
    Column("created_at", Instant, nullable=False),
    Column("revoked_at", Instant),
)

workers = Table(
    "workers",
    metadata,
    Column("worker_id", Name, primary_key=True),
    Column("beat_at", Instant, nullable=False, index=True),
)

leases = Table(
    "leases",
    metadata,
    Column("name", Name, primary_key=True),
    Column("holder", Name, nullable=False),
    Column("until", Instant, nullable=False),
)
