"""JSON bodies: read within the limit, parsed strictly, checked against a model with all faults at once."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

from flask import g, request
from pydantic import BaseModel, ValidationError

from functions import _json
from functions._faults import from_validation
from functions._incoming import CHUNK, MAX_JSON_BYTES, incoming, is_multipart
from functions._kit import ports
from runner.domain import clean_text
from runner.domain.errors import Fault, Invalid, Malformed, TooLarge, UnsupportedMediaType

__all__ = ["body", "body_sha256", "is_multipart", "json_bytes", "json_object"]

M = TypeVar("M", bound=BaseModel)


def body(model: type[M], *, optional: bool = False) -> M:
    """The JSON body as `model`: strict types, no unknown field. `optional`: an empty body is an empty object.

    Raises Malformed `bad_json`, TooLarge `body_too_large`, UnsupportedMediaType, Invalid `validation_failed`.
    """
    given = _read_json(optional)
    bad_text = clean_text.faults(given)
    if bad_text:
        given = _json.without_surrogates(given)
    try:
        made = model.model_validate(given, strict=True, extra="forbid", context={"now": ports().clock.now()})
    except ValidationError as error:
        raise _invalid(bad_text, from_validation(error)) from None
    if bad_text:
        raise _invalid(bad_text)
    return made


def json_object(*, optional: bool = False) -> dict[str, Any]:
    """The JSON body as a plain dict, for bodies that a model cannot describe. Raises as `body`."""
    given = _read_json(optional)
    if not isinstance(given, dict):
        raise _invalid([Fault("", "wrong_type", "The body must be a JSON object.")])
    if bad_text := clean_text.faults(given):
        raise _invalid(bad_text)
    return given


def json_bytes() -> bytes:
    """The JSON body unparsed, for bodies whose faults the engine names itself. Raises as `body`, but not Invalid."""
    data = _bytes()
    if not data:
        raise Malformed("This needs a JSON body.")
    return data


def body_sha256() -> str:
    """Hex SHA-256 of the JSON body's value, whatever its spelling; call it after `body`."""
    text = _json.dump(_sorted(g.get("json", {})))
    return hashlib.sha256(text).hexdigest()


def _read_json(optional: bool) -> Any:
    if "json" not in g:
        g.json = _parsed(_bytes(), optional)
    return g.json


def _parsed(data: bytes, optional: bool) -> Any:
    if not data and optional:
        return {}
    if not data:
        raise Malformed("This needs a JSON body.")
    return _json.parse(data)


def _bytes() -> bytes:
    """The body, at most 8 MiB. The media type is checked as soon as there is one byte."""
    source = incoming()
    if (source.length or 0) > MAX_JSON_BYTES:
        _check_type()
        raise _too_large()
    parts = bytearray()
    while chunk := source.read(CHUNK):
        if not parts:
            _check_type()
        parts += chunk
        if len(parts) > MAX_JSON_BYTES:
            raise _too_large()
    return bytes(parts)


def _check_type() -> None:
    if request.mimetype != "application/json":
        raise UnsupportedMediaType("Send the body as Content-Type: application/json.")


def _too_large() -> TooLarge:
    return TooLarge("A JSON body may have at most 8 MiB.", "body_too_large")


def _invalid(*faults: Any) -> Invalid:
    details = [fault for group in faults for fault in group]
    return Invalid("The request holds faulty fields; see details.", details=details)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
