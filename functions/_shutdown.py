"""Whether this process is stopping. Streams test it, so that a stop does not wait for their readers.

A stream waits for news with `wait(seconds)` instead of sleeping: a stop wakes it at once.
"""

from __future__ import annotations

import threading

_stop = threading.Event()


def stopping() -> bool:
    return _stop.is_set()


def stop() -> None:
    """Called once, by the server's signal handler."""
    _stop.set()


def wait(seconds: float) -> bool:
    """Waits that long or until the stop; True when the process is stopping."""
    return _stop.wait(seconds)
