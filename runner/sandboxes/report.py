"""What the parent of a script tells us about it, line by line.

`started PID` when it runs, with the pid that its parent knows; when it has ended by itself a line `[1] Exit N` or
`[1] Done`; at last `ended N`, with N as shells have it: the exit code, or 128 and the signal. What else is said stands in
no such line; before `started` these are the words of a sandbox that did not start.

A script can write to the same pipe, whatever it likes and as much as it likes. Each line of ours is one write, so that
nothing comes into it, but anything may stand before it: its beginning need not be one of a line. What the script says
before its end is followed by its parent's report, and the last word counts; values that cannot be are no reports.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

TAIL_BYTES = 2**16
"""So much of a report is kept."""

_STARTED = re.compile(rb"started ([0-9]{1,10})\n")
_ENDED = re.compile(rb"ended ([0-9]{1,3})\n")
_LARGEST_CODE, _FIRST_SIGNAL = 255, 128


@dataclass(frozen=True, slots=True)
class End:
    """How the script's own process ended; one of the two is None."""

    exit_code: int | None
    signal: str | None


def read_start(report: bytes) -> int | None:
    """The script's pid; None before it has started."""
    started = _STARTED.search(report)
    return None if started is None else int(started[1])


def read_end(report: bytes) -> End | None:
    """None while the script runs, or when nobody lived to tell."""
    codes = [code for text in _ENDED.findall(report) if (code := int(text)) <= _LARGEST_CODE]
    if not codes:
        return None
    if codes[-1] > _FIRST_SIGNAL and not _by_itself(codes[-1], report):
        return End(None, signal_name(codes[-1] - _FIRST_SIGNAL))
    return End(codes[-1], None)


def _by_itself(code: int, report: bytes) -> bool:
    return re.search(rb"\[1\]\S*\s+Exit %d\b" % code, report) is not None


def signal_name(number: int) -> str:
    """`SIGKILL`; `SIG41` for a signal without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
