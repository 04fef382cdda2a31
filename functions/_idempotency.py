"""The header `Idempotency-Key` (https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/)."""

from __future__ import annotations

import re

from flask import request

from runner.domain.errors import Fault, Invalid

_KEY = re.compile(r"[\x21-\x7e]{1,255}\Z")


def idempotency_key() -> str | None:
    """None without the header. Raises Invalid `validation_failed` for what is not 1 to 255 visible ASCII characters."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _KEY.match(key):
        text = "Idempotency-Key takes 1 to 255 visible ASCII characters."
        raise Invalid(text, details=[Fault("Idempotency-Key", "invalid_value", text)])
    return key
