"""What can be refused, and how it is said.

An error has a stable `code`, one sentence for a person, and the faulty fields. Its class says what kind of refusal it is;
`functions/_http.py` holds the one table from class to HTTP status. Driver errors are translated into these at the adapter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Fault:
    """One faulty field: `field` as `year`, `reproduce_config.nodes`, `paper_ids[1]`, a node id or a JSON pointer."""

    field: str
    code: str
    message: str


class DomainError(Exception):
    """Base of every refusal. `facts` are further JSON members of the answer (`existing`, `version`, `job_ids`)."""

    code = "internal_error"
    retryable = False

    def __init__(self, message: str, code: str | None = None, details: Iterable[Fault] = (), **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.details = tuple(details)
        self.facts = facts


class Malformed(DomainError):
    """The request cannot be read at all."""

    code = "bad_json"


class Unauthorized(DomainError):
    code = "key_invalid"


class Forbidden(DomainError):
    code = "scope_missing"


class NotFound(DomainError):
    code = "not_found"


class Conflict(DomainError):
    """The thing exists already, has changed meanwhile, or is not in the right state."""

    code = "conflict"


class Gone(DomainError):
    code = "evidence_expired"


class TooLarge(DomainError):
    code = "upload_too_large"


class UnsupportedMediaType(DomainError):
    code = "unsupported_media_type"


class Invalid(DomainError):
    """The request is readable and wrong; `details` lists every fault."""

    code = "validation_failed"


class Unavailable(DomainError):
    """Something we need does not answer; trying again may help. `retry_after_s` becomes the `Retry-After` header."""

    code = "unavailable"
    retryable = True

    def __init__(self, message: str, code: str | None = None, retry_after_s: int = 5, **facts: Any) -> None:
        super().__init__(message, code, **facts)
        self.retry_after_s = retry_after_s
