"""The kernel's table of processes (proc(5)): who descends from whom, also through pid namespaces."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass

_LOOK_EVERY_S = 0.002


@dataclass(frozen=True, slots=True)
class Process:
    """`inner` is its pid in the first namespace below ours, None when it lives in ours."""

    pid: int
    parent: int
    inner: int | None


def descendants(pid: int) -> list[Process]:
    """All living processes that `pid` started, and those that they started; parents come first."""
    children: dict[int, list[Process]] = {}
    for process in _all_living():
        children.setdefault(process.parent, []).append(process)
    found = list(children.get(pid, ()))
    for process in found:  # grows while it is read
        found += children.get(process.pid, ())
    return found


def session(leader: int) -> list[int]:
    """The living members of a session, also when its leader has ended."""
    found = []
    for process in _all_living():
        with contextlib.suppress(ProcessLookupError):
            if os.getsid(process.pid) == leader:
                found.append(process.pid)
    return found


def wait_until_gone(pids: Iterable[int], limit_s: float) -> bool:
    """True as soon as none of them is alive; False after `limit_s`.

    The first process of a pid namespace is only gone when every process in it is (pid_namespaces(7)).
    """
    end = time.monotonic() + limit_s
    for pid in pids:
        while living(pid) is not None:
            if time.monotonic() > end:
                return False
            time.sleep(_LOOK_EVERY_S)
    return True


def living(pid: int) -> Process | None:
    """None for a process that has ended, also while nobody has collected it."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            lines = dict(line.split(b":", 1) for line in file.read().splitlines() if b":" in line)
    except (FileNotFoundError, ProcessLookupError):
        return None
    if lines[b"State"].split()[0] in (b"Z", b"X"):
        return None
    pids = lines[b"NSpid"].split()
    return Process(pid, int(lines[b"PPid"]), int(pids[1]) if len(pids) > 1 else None)


def _all_living() -> list[Process]:
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())
    return [process for pid in pids if (process := living(pid)) is not None]
