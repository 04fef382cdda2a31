"""Names inside a submission archive: which are accepted, and what they mean (reproduction.md 1).

Names are kept as sent; Unicode normal form and case are only compared.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

NameFault = Literal["parent_path", "absolute_path", "bad_name"]

LONGEST_PART_BYTES = 255
LONGEST_PATH_BYTES = 1024

_UNSHOWABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_ABSOLUTE = re.compile(r"[/\\]|[A-Za-z]:")


class BadName(ValueError):
    """A name that is refused; `code` says why."""

    def __init__(self, code: NameFault) -> None:
        super().__init__(code)
        self.code: NameFault = code


def clean(name: str) -> str:
    """`./a/./b/` -> `a/b`; `` for the archive's own root (`.`, `./`). Raises BadName."""
    if _ABSOLUTE.match(name):
        raise BadName("absolute_path")
    if ".." in re.split(r"[/\\]", name):
        raise BadName("parent_path")
    parts = name.removesuffix("/").split("/")
    if "\\" in name or is_unshowable(name) or not all(parts) or len(name.encode()) > LONGEST_PATH_BYTES:
        raise BadName("bad_name")
    if any(len(part.encode()) > LONGEST_PART_BYTES for part in parts):
        raise BadName("bad_name")
    return "/".join(part for part in parts if part != ".")


def is_unshowable(text: str) -> bool:
    """Whether it holds control characters or bytes that are no UTF-8."""
    return _UNSHOWABLE.search(text) is not None


def shown(name: str) -> str:
    """A refused name made fit for an answer: printable, and not longer than 200 characters."""
    text = _UNSHOWABLE.sub(lambda found: f"\\x{ord(found[0]) & 0xFF:02x}", name)
    return text if len(text) <= 200 else text[:199] + "…"


def folded(path: str) -> str:
    """What two names share that a file system blind to case and normal form takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def parents(path: str) -> list[str]:
    """`a/b/c` -> [`a`, `a/b`]."""
    return [path[: found.start()] for found in re.finditer("/", path)]
