"""Opaque texts that we sign for ourselves: cursors of lists.

The signature is compared as text before anything is decoded, so a change in any character is noticed, spare base64 bits
included. Alphabet: `[A-Za-z0-9_-]`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import zlib
from typing import Any

from runner.domain.errors import Fault, Invalid

SIGNATURE_LENGTH = 43
"""Length of a SHA-256 in base64url without padding."""


def seal(secret: bytes, purpose: str, values: tuple[Any, ...]) -> str:
    """`values` (JSON values) as a text that `unseal` accepts for the same `purpose` only."""
    packed = zlib.compress(json.dumps(values, separators=(",", ":")).encode(), wbits=-15)
    text = _base64(packed)
    return text + _signature(secret, purpose, text)


def unseal(secret: bytes, purpose: str, sealed: str) -> tuple[Any, ...]:
    """Raises Invalid `cursor_invalid` for whatever `seal` did not make with this secret and purpose."""
    text, signature = sealed[:-SIGNATURE_LENGTH], sealed[-SIGNATURE_LENGTH:]
    expected = _signature(secret, purpose, text)
    if not hmac.compare_digest(expected.encode(), signature.encode("utf-8", "replace")):
        fault = Fault("cursor", "cursor_invalid", "The cursor is not one that this list gave.")
        raise Invalid("The cursor is not one that this list gave.", "cursor_invalid", [fault])
    packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return tuple(json.loads(zlib.decompress(packed, wbits=-15)))


def _signature(secret: bytes, purpose: str, text: str) -> str:
    message = json.dumps(["cursor", purpose, text]).encode()
    return _base64(hmac.digest(secret, message, hashlib.sha256))


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
