"""JSON as other people send it: UTF-8, every key once, no NaN or Infinity."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

from runner.domain.errors import Fault, Invalid, Malformed, TooLarge

MAX_BODY_BYTES = 8 * 1024 * 1024
_LONGEST_INT = 400


def parse(body: bytes, invalid_code: str = "validation_failed") -> Any:
    """The value written in `body`.

    Raises Malformed (`bad_json`) for what is not JSON, Invalid (`invalid_code`) for a key given twice and for text
    nested beyond any use, TooLarge (`body_too_large`) above 8 MiB. A number beyond the range of a double becomes an
    infinity: whoever reads the field refuses it by name.
    """
    if len(body) > MAX_BODY_BYTES:
        raise TooLarge("The JSON text is larger than 8 MiB.", "body_too_large")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"The text is not UTF-8: byte {error.start} cannot be read.") from None
    try:
        return json.loads(text, object_pairs_hook=object_once, parse_int=_integer, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise Malformed(f"The text is not JSON: {error}.") from None
    except RecursionError:
        raise _refusal(invalid_code, "too_deep", "The JSON text is nested too deeply.") from None
    except RepeatedKey as error:
        key = str(error)
        raise _refusal(invalid_code, "duplicate_key", f"The key {key[:80]!r} stands twice in one object.") from None


def is_text(value: str) -> bool:
    """Whether a string can be stored and sent anywhere: no NUL, no lone surrogate."""
    if "\0" in value:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


class RepeatedKey(Exception):
    """An object names a key twice; the message is the key."""


def object_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An `object_pairs_hook` for json.loads. Raises RepeatedKey."""
    members = dict(pairs)
    if len(members) < len(pairs):
        times = Counter(key for key, _ in pairs)
        raise RepeatedKey(times.most_common(1)[0][0])
    return members


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST_INT else float(text)


def _refuse_constant(name: str) -> NoReturn:
    raise Malformed(f"{name} is not a JSON number.")


def _refusal(code: str, fault: str, sentence: str) -> Invalid:
    return Invalid(sentence, code, [Fault("", fault, sentence)])
