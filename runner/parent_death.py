"""Child processes that end with their parent, whatever ends it: Linux's PR_SET_PDEATHSIG, see prctl(2).

The kernel sends the signal when the *thread* that started the child ends: start children from threads that stay.
"""

from __future__ import annotations

import ctypes
import signal

_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def follow(number: signal.Signals) -> None:
    """Called in the child: it gets this signal when its parent ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
