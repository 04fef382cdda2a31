"""Keys of the object store: `papers/2404.14193/paper.pdf`. Any script; never a way out of the store."""

from __future__ import annotations

import unicodedata

from runner.domain.errors import Invalid

MAX_BYTES = 1024
"""The longest key that S3 takes."""


def check(key: str) -> str:
    """The key. Raises Invalid `key_invalid` for `.`, `..` and empty parts, control characters and lone surrogates."""
    fault = _fault(key)
    if fault:
        raise Invalid(f"This is no key of the object store: {fault}.", "key_invalid")
    return key


def _fault(key: str) -> str | None:
    parts = key.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "it has an empty part, `.` or `..`"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in key):
        return "it holds a control character or half a character"
    if len(key.encode()) > MAX_BYTES or any(len(part.encode()) > 255 for part in parts):
        return f"it is longer than {MAX_BYTES} bytes, or a part is longer than 255"
    return None
