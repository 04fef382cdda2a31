"""Pages cut from one row more than was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from runner.ports import Page

T = TypeVar("T")


def cut(items: Sequence[T], limit: int, key: Callable[[T], tuple[Any, ...]]) -> Page[T]:
    """`items` are the next `limit` + 1 in order, or all there are."""
    kept = tuple(items[:limit])
    return Page(kept, key(kept[-1]) if len(items) > limit else None)
