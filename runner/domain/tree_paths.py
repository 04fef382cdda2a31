"""Paths and globs that a rubric names inside an executed tree."""

from __future__ import annotations

import re

from runner.domain import patterns

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
LONGEST = 1024


def normal(path: str) -> str | None:
    """`./out//x.csv` -> `out/x.csv`; None for a path that is empty, absolute, a folder, or leaves the tree."""
    if len(path) > LONGEST or path.startswith("/") or path.endswith("/") or "\\" in path or _UNPRINTABLE.search(path):
        return None
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "/".join(parts) if parts and ".." not in parts else None


def is_glob(path: str) -> bool:
    return any(sign in path for sign in "*?[")


def glob(path: str) -> patterns.Pattern:
    """A pattern for whole paths: `*` and `?` stay inside one part, a part `**` stands for any number of folders.

    Names that begin with a dot are matched like others. Raises patterns.BadPattern for a character class that is none.
    """
    parts = path.split("/")
    text = "".join(_part(part, last=index == len(parts) - 1) for index, part in enumerate(parts))
    return patterns.compile(rf"\A{text}\z")


def _part(part: str, last: bool) -> str:
    if part == "**":
        return "(?s:.+)" if last else "(?:(?s:.+)/)?"
    pieces = re.findall(r"\*+|\?|\[[!^]?\]?[^\]]*\]|.", part, re.DOTALL)
    return "".join(map(_piece, pieces)) + ("" if last else "/")


def _piece(piece: str) -> str:
    if piece.startswith("*"):
        return "[^/]*"
    if piece == "?":
        return "[^/]"
    if piece.startswith("[") and len(piece) > 1:
        negated, members = ("^/", piece[2:-1]) if piece[1] in "!^" else ("", piece[1:-1])
        return f"[{negated}{_class(members)}]"
    return patterns.quote(piece)


def _class(members: str) -> str:
    return members.replace("\\", r"\\").replace("[", r"\[").replace("]", r"\]").replace("^", r"\^")
