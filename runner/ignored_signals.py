"""A run's outcome must not depend on how the service was started.

What a shell starts in the background, and what nohup starts, ignores SIGINT, SIGQUIT or SIGHUP, and so does everything
below it: a script that such a signal should end would live on. A signal that is caught is handed down as its default.
"""

from __future__ import annotations

import signal
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)


def hand_down_defaults() -> None:
    """Goes on ignoring what is ignored now, but child processes do not. Called in the main thread."""
    for number in _SIGNALS:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _heard)


def _heard(number: int, frame: FrameType | None) -> None:
    """Nothing to do."""
