"""Query strings: `query(Model)` and the types that models of query strings use. Unknown parameters are ignored."""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

from flask import request
from pydantic import BaseModel, BeforeValidator, ValidationError

from functions._faults import from_validation
from functions._kit import ports
from runner.domain import clean_text
from runner.domain.errors import Invalid

M = TypeVar("M", bound=BaseModel)
_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)


def query(model: type[M]) -> M:
    """The query string as `model`; of a repeated parameter the first counts. Raises Invalid `validation_failed`."""
    given = {name: value for name, value in request.args.items() if name in model.model_fields}
    faults = clean_text.faults(given)
    try:
        made = model.model_validate(given, extra="ignore", context={"now": ports().clock.now()})
    except ValidationError as error:
        faults = [*faults, *from_validation(error)]
    if faults:
        raise Invalid("The query string holds faulty parameters; see details.", details=faults)
    return made


def _integer(value: Any) -> Any:
    if isinstance(value, str):
        if not _INTEGER.fullmatch(value):
            raise ValueError("Give an integer.")
        return int(value)
    return value


def _flag(value: Any) -> Any:
    if isinstance(value, str):
        if value not in ("true", "false"):
            raise ValueError("Give true or false.")
        return value == "true"
    return value


def _split(value: Any) -> Any:
    return [part.strip() for part in value.split(",")] if isinstance(value, str) else value


Integer = Annotated[int, BeforeValidator(_integer)]
Flag = Annotated[bool, BeforeValidator(_flag)]


def comma(item: Any) -> Any:
    """The type of a comma list: `statuses: comma(RunStatus) = []`; order and repeats as given."""
    return Annotated[list[item], BeforeValidator(_split)]
