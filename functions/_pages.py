"""Lists by page: `Paging` in the query, a signed cursor in the answer (contract: paperbench-api.md 1.5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from flask import Response, request
from pydantic import BaseModel, Field

from functions._kit import kit
from functions._parameters import Integer
from functions._replies import reply
from runner.domain import cursors
from runner.ports import Page

T = TypeVar("T")


class Paging(BaseModel):
    """What every list takes. Further fields of a subclass are filters: a cursor works with equal filters only."""

    limit: Integer = Field(50, ge=1, le=100)
    cursor: str | None = None


def after(asked: Paging) -> tuple[Any, ...] | None:
    """The sort key to go on from, None at the start. Raises Invalid `cursor_invalid`."""
    return None if asked.cursor is None else cursors.unseal(kit().secret, _purpose(asked), asked.cursor)


def page_reply(asked: Paging, name: str, page: Page[T], show: Callable[[T], Any], **facts: Any) -> Response:
    """`{...facts, "<name>": [shown items], "next_cursor": text or null}`."""
    cursor = None if page.next_after is None else cursors.seal(kit().secret, _purpose(asked), page.next_after)
    return reply({**facts, name: [show(item) for item in page.items], "next_cursor": cursor})


def _purpose(asked: Paging) -> str:
    filters = asked.model_dump(mode="json", exclude={"limit", "cursor"})
    return request.path + json.dumps(filters, sort_keys=True)
