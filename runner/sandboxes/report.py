"""What the parent of a script tells us about it, line by line.

`started`; when the script has ended by itself a line `[1] Exit N` or `[1] Done`; at last `ended N`, with N as shells
have it: the exit code, or 128 and the signal. What else it says stands in no such line; before `started` these are the
words of a sandbox that did not start. A script may add lines of its own: it deceives only itself.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

_STARTED = re.compile(r"^started$", re.MULTILINE)
_BY_ITSELF = re.compile(r"^\[1\]\S*\s+(?:Exit|Done)\b", re.MULTILINE)
_ENDED = re.compile(r"^ended (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class End:
    """How the script's own process ended; one of the two is None."""

    exit_code: int | None
    signal: str | None


def has_started(report: str) -> bool:
    return _STARTED.search(report) is not None


def read_end(report: str) -> End | None:
    """None while the script runs, or when nobody lived to tell."""
    ended = _ENDED.search(report)
    if ended is None:
        return None
    code = int(ended[1])
    if code > 128 and not _BY_ITSELF.search(report, 0, ended.start()):
        return End(None, signal_name(code - 128))
    return End(code, None)


def signal_name(number: int) -> str:
    """`SIGKILL`; `SIG41` for a signal without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
