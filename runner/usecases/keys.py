"""API keys: made, listed, revoked, recognised by the hash of their secret."""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from collections.abc import Sequence
from typing import Any

from runner.domain import ids, run_view
from runner.domain.access import Key, Scope
from runner.domain.errors import Fault, Invalid, NotFound, Unauthorized
from runner.ports import Ports

LONGEST_NAME = 200


def create(ports: Ports, *, name: str, scopes: Sequence[Scope]) -> tuple[Key, str]:
    """A new key and its secret, which is not kept. A key without a name carries its id as name.

    Raises Invalid `validation_failed` for a name that no list could show.
    """
    if len(name) > LONGEST_NAME or any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        text = f"A key's name has at most {LONGEST_NAME} characters, and no control characters."
        raise Invalid(text, details=[Fault("name", "invalid_value", text)])
    secret = f"rk_{secrets.token_urlsafe(32)}"
    key_id = ids.new("key")
    key = Key(key_id, name.strip() or key_id, tuple(dict.fromkeys(scopes)), _digest(secret), ports.clock.now())
    ports.keys.add(key)
    return key, secret


def recognise(ports: Ports, *, secret: str) -> Key:
    """Raises Unauthorized `key_invalid` for unknown and revoked keys, in the same words."""
    key = ports.keys.find(_digest(secret))
    if key is None or key.revoked_at is not None:
        raise Unauthorized("This key is unknown or revoked: make one with reprise keys create.", "key_invalid")
    return key


def revoke(ports: Ports, *, key_id: str) -> None:
    """Raises NotFound `key_not_found`."""
    if not ports.keys.revoke(key_id, ports.clock.now()):
        raise NotFound(f"There is no valid key {key_id}: reprise keys list shows them.", "key_not_found")


def rows(ports: Ports) -> list[dict[str, Any]]:
    return [
        {
            "key_id": key.key_id,
            "name": key.name,
            "scopes": list(key.scopes),
            "created_at": run_view.timestamp(key.created_at),
            "revoked_at": run_view.timestamp(key.revoked_at),
        }
        for key in ports.keys.all()
    ]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
