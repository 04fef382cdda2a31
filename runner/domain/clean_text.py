"""Texts that every database, file name and answer can carry: no NUL, no lone surrogate (paperbench-api.md 1.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from runner.domain.errors import Fault

LONGEST_FIELD = 200
MOST_FAULTS = 1000
_REFUSED = re.compile("[\\0\ud800-\udfff]")


def is_clean(text: str) -> bool:
    return _REFUSED.search(text) is None


def faults(value: Any) -> list[Fault]:
    """A fault `bad_characters` for every string inside a JSON value, keys included, that is not clean."""
    found: list[Fault] = []
    path: list[Any] = []
    levels: list[Iterator[tuple[Any, Any]]] = [iter([("", value)])]
    while levels and len(found) < MOST_FAULTS:
        step = next(levels[-1], None)
        if step is None:
            levels.pop()
            del path[-1:]
            continue
        key, part = step
        if isinstance(key, str) and not is_clean(key):
            found.append(_fault((*path, key)))
        if isinstance(part, str) and not is_clean(part):
            found.append(_fault((*path, key)))
        elif isinstance(part, dict | list):
            path.append(key)
            levels.append(iter(part.items()) if isinstance(part, dict) else enumerate(part))
    return found


def field_name(parts: tuple[Any, ...]) -> str:
    """How a place inside a JSON value is written: `year`, `reproduce_config.nodes`, `paper_ids[1]`."""
    text = ""
    for part in parts:
        if isinstance(part, int):
            text += f"[{part}]"
        elif part != "":
            text += f".{part}" if text else str(part)
    return printable(text)


def printable(text: str) -> str:
    """`text` as it can stand in an answer: cut, and without lone surrogates."""
    return text[:LONGEST_FIELD].encode("utf-8", "replace").decode()


def _fault(place: tuple[Any, ...]) -> Fault:
    return Fault(field_name(place), "bad_characters", "The text holds NUL or half of a surrogate pair.")
