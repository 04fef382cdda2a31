"""Ids: what may name a thing, and how new names are made."""

from __future__ import annotations

import re
from typing import Literal

from ulid import ULID

Prefix = Literal["run", "rub", "sub", "up", "repo", "ev", "as", "key", "wk"]

PAPER_ID = re.compile(r"(?!import(-package)?\Z)[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}\Z")
"""`papers/import` is the address of an endpoint, so no paper is called so."""
_ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}\Z"


def new(prefix: Prefix) -> str:
    """`run_01M8Q64CPTA43S03QV6KFBKTDP`: sortable by time of making (https://github.com/ulid/spec)."""
    return f"{prefix}_{ULID()}"


def is_id(text: str, prefix: Prefix) -> bool:
    return re.match(f"{prefix}_{_ULID}", text) is not None


def is_paper_id(text: str) -> bool:
    return PAPER_ID.match(text) is not None
