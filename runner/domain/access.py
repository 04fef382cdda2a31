"""Keys and the audit trail: who may do what, and who did."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Scope = Literal["run", "admin"]


@dataclass(frozen=True, slots=True)
class Key:
    """An API key; only the SHA-256 of its secret is kept."""

    key_id: str
    name: str
    scopes: tuple[Scope, ...]
    secret_sha256: str
    created_at: datetime
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class AuditRow:
    """`actor` is a key's name, or None when no key was needed."""

    at: datetime
    actor: str | None
    action: str
    subject: str
