"""Data as plain text: what a reader cannot see must not change what is seen (reports-and-exports.md 2)."""

from __future__ import annotations

import re
from typing import Any

_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE_SEQUENCE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # OSC, its title or link
    r"|\x1b\[[0-?]*[ -/]*[@-~]?"  # CSI
    r"|\x1b[ -/]*[0-~]"
)

LOG_LINES = 60
LOG_LINE_CHARACTERS = 400


def clean(value: Any) -> str:
    """Text without bidi controls and without C0 controls except tab and newline; lone surrogates become U+FFFD."""
    text = _INVISIBLE.sub("", str(value).replace("\r\n", "\n"))
    return _LONE_SURROGATE.sub("\ufffd", text)


def one_line(value: Any) -> str:
    """The same with every run of white space as one space."""
    return " ".join(clean(value).split())


def log_tail(lines: list[str]) -> tuple[str, ...]:
    """The last 60 lines: escape sequences removed, `\\r` folded to the last state, at most 400 characters each."""
    return tuple(_log_line(line) for line in lines[-LOG_LINES:])


def _log_line(line: str) -> str:
    states = [state for state in _ESCAPE_SEQUENCE.sub("", line).split("\r") if state]
    shown = clean(states[-1] if states else "").replace("\n", " ")
    return shown if len(shown) <= LOG_LINE_CHARACTERS else shown[: LOG_LINE_CHARACTERS - 1] + "…"
