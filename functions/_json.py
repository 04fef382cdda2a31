"""JSON as the contract wants it: strict in, clean out."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from datetime import datetime
from typing import Any, NoReturn

from pydantic import BaseModel

from runner.domain.errors import Malformed
from runner.domain.times import utc_text


def parse(data: bytes) -> Any:
    """The value in `data`. Raises Malformed `bad_json`: not UTF-8, not JSON, NaN or Infinity, a key given twice."""
    try:
        return json.loads(
            data.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_unique
        )
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, _NotAccepted) else "The body is not JSON in UTF-8."
        raise Malformed(reason) from None


def dump(value: Any) -> bytes:
    """Compact UTF-8; datetimes and pydantic models are rendered. NaN is a bug and raises ValueError."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    return text.encode("utf-8")


def without_surrogates(value: Any) -> Any:
    """`value` with `?` for lone surrogates, for readers that stop at them."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


class _NotAccepted(ValueError):
    """Valid for Python's parser, refused by us; the text is the sentence."""


def _no_constant(name: str) -> NoReturn:
    raise _NotAccepted(f"{name} is not JSON.")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _NotAccepted("A number in the body is too large.")
    return number


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    pairs = list(pairs)
    made = dict(pairs)
    if len(made) != len(pairs):
        raise _NotAccepted("An object in the body holds the same key twice.")
    return made


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return utc_text(value)
    if isinstance(value, BaseModel):
        return value.model_dump()
    if isinstance(value, frozenset | set):
        return sorted(value)
    raise TypeError(f"{type(value).__name__} cannot stand in an answer")
