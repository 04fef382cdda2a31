"""From pydantic's errors to our faults: one per faulty field, with a stable code."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from runner.domain.clean_text import field_name
from runner.domain.errors import Fault

MOST_FAULTS = 1000
_CODES = {
    "missing": "missing_field",
    "extra_forbidden": "unknown_field",
    "literal_error": "unknown_value",
    "value_error": "invalid_value",
    "int_from_float": "wrong_type",
    "finite_number": "out_of_range",
    "string_pattern_mismatch": "invalid_value",
}
_OBJECT = ("model_type", "model_attributes_type", "dict_type")
_RANGE = re.compile(r"(greater|less)_than|too_(short|long|big)|multiple_of")
_TYPE = re.compile(r"_(type|parsing|parsing_size|unicode)\Z")


def from_validation(error: ValidationError, above: str = "") -> tuple[Fault, ...]:
    """Faults with fields written `year`, `reproduce_config.nodes`, `paper_ids[1]`, below the field `above`."""
    errors = error.errors(include_url=False, include_input=False)[:MOST_FAULTS]
    return tuple(Fault(field_name((above, *e["loc"])), _code(e["type"]), _sentence(e)) for e in errors)


def _code(kind: str) -> str:
    if kind in _CODES:
        return _CODES[kind]
    if _RANGE.search(kind):
        return "out_of_range"
    return "wrong_type" if _TYPE.search(kind) else kind


def _sentence(error: Any) -> str:
    if error["type"] == "extra_forbidden":
        return "This field is not known here."
    if error["type"] == "missing":
        return "This field is required."
    if error["type"] in _OBJECT:
        return f"{'This' if error['loc'] else 'The body'} must be a JSON object."
    text = str(error["msg"]).removeprefix("Value error, ")
    return text if text.endswith((".", "!")) else f"{text}."
