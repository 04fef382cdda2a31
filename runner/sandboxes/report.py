"""What the parent of a script tells us about it, line by line.

`started`, then for every change of the script a line `[1] STATE`, at last `ended N` with N as a shell has it: the exit
code, or 128 and the signal. STATE begins with `Exit` or `Done` when the script ended by itself. What stands before
`started` are the words of a sandbox that did not start. A script may add lines of its own; it deceives only itself.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

_STARTED = re.compile(r"^started$", re.MULTILINE)
_STATE = re.compile(r"^\[1\]\S*\s+(.*)$", re.MULTILINE)
_ENDED = re.compile(r"^ended (\d+)$", re.MULTILINE)
_BY_ITSELF = ("Exit", "Done")


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
    code, states = int(ended[1]), _STATE.findall(report[: ended.start()])
    if code > 128 and states and not states[-1].startswith(_BY_ITSELF):
        return End(None, signal_name(code - 128))
    return End(code, None)


def signal_name(number: int) -> str:
    """`SIGKILL`; `SIG41` for a signal without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
