"""One page of papers, at the same cost wherever it lies.

An order is walked in segments, each a plain range of one index: the rest of the papers that share the last key, then
the keys beyond it, then the papers without a key.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, and_, bindparam, select, true

from runner.adapters.sql import schema
from runner.domain import search_text

_PAPER_ID = schema.papers.c.paper_id
_COLUMNS = {
    "imported_at": schema.papers.c.imported_at,
    "title": schema.papers.c.title_key,
    "year": schema.papers.c.year,
    "paper_id": _PAPER_ID,
}


@dataclass(frozen=True, slots=True)
class Order:
    sort: str
    descending: bool


Segment = tuple[ColumnElement[bool], tuple[ColumnElement[Any], ...]]
"""A condition, and the order of the rows that meet it."""


def read(
    connection: Connection, wanted: ColumnElement[bool], order: Order, after: tuple[Any, ...] | None, rows: int
) -> list[RowMapping]:
    found: list[RowMapping] = []
    for condition, columns in _segments(order, after):
        statement = select(schema.papers).where(wanted, condition).order_by(*columns).limit(rows - len(found))
        found += connection.execute(statement).mappings()
        if len(found) == rows:
            break
    return found


def wanted(
    words: Sequence[str], scopes: Sequence[str], usable: bool | None, source_types: Sequence[str], with_private: bool
) -> ColumnElement[bool]:
    columns = schema.papers.c
    conditions = [columns.search_text.contains(search_text.fold(word), autoescape=True) for word in words]
    if scopes:
        conditions.append(columns.license_scope.in_(scopes))
    if usable is not None:
        conditions.append(columns.license_usable == usable)
    if source_types:
        conditions.append(columns.source_type.in_(source_types))
    if not with_private:
        conditions.append(columns.visibility == "public")
    return and_(true(), *conditions)


def _segments(order: Order, after: tuple[Any, ...] | None) -> Iterator[Segment]:
    column = _COLUMNS[order.sort]
    by_key = (column.desc() if order.descending else column.asc(), _PAPER_ID)
    if after is None:
        yield column.is_not(None), by_key
        yield column.is_(None), (_PAPER_ID,)
        return
    key, paper_id = after
    if key is not None:
        yield and_(column == key, _after_id(paper_id)), (_PAPER_ID,)
        yield (column < key if order.descending else column > key), by_key
        yield column.is_(None), (_PAPER_ID,)
    else:
        yield and_(column.is_(None), _after_id(paper_id)), (_PAPER_ID,)


def _after_id(paper_id: str) -> ColumnElement[bool]:
    return bindparam(None, paper_id) < _PAPER_ID
