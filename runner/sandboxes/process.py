"""Watches one script from its start to the end of everything it started (reproduction.md 2, limits).

The script's parent reports on standard error; standard output carries the script's own bytes. The end is the end of the
script's process, not of the output: a child that keeps the pipe open delays nothing.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import IO, Literal, Protocol

from runner.sandboxes import report
from runner.sandboxes.report import End

START_LIMIT_S = 30.0
TERM_GRACE_S = 10.0
"""Between TERM and KILL at the time limit."""
STOP_GRACE_S = 3.0
"""The same for a cancel, which must be over within 10 s."""
LOOK_EVERY_S = 0.25
_PIPE_BYTES = 2**20
_READ_BYTES = 2**18
_REPORT_BYTES = 2**16

Cause = Literal["script", "time", "stop", "disk", "start"]


class Cage(Protocol):
    """What the watcher may do to what it watches."""

    def started(self) -> None:
        """Called once, when the script is about to run."""
        ...

    def script_pids(self) -> Sequence[int]:
        """The script and all that it started, as far as they live."""
        ...

    def destroy(self) -> None:
        """Ends everything at once, waits for that, and may be called when nothing is left."""
        ...


@dataclass(frozen=True, slots=True)
class Orders:
    """`on_output` gets the script's bytes as they come; the other two are asked about four times a second."""

    time_limit_s: float
    on_output: Callable[[bytes], None]
    should_stop: Callable[[], bool]
    disk_is_full: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Ended:
    """`cause`: the script by itself, our time limit, a stop, the disk limit, or a sandbox that did not start.

    `end` is None when the script's parent could not tell, because everything was killed. `text` is the whole report.
    """

    cause: Cause
    end: End | None
    elapsed_s: float
    text: str


def watch(child: subprocess.Popen[bytes], cage: Cage, orders: Orders) -> Ended:
    """`child` has pipes for all three streams. Nothing of the script lives when this returns or raises."""
    watcher = _Watcher(child, cage, orders)
    try:
        watcher.follow()
    finally:
        cage.destroy()
    return watcher.ended()


class _Watcher:
    """Goes from `starting` to `running`, and to `ending` when TERM was sent."""

    def __init__(self, child: subprocess.Popen[bytes], cage: Cage, orders: Orders) -> None:
        assert child.stdout is not None
        assert child.stderr is not None
        self._output, self._reports = child.stdout, child.stderr
        self._cage, self._orders = cage, orders
        self._phase: Literal["starting", "running", "ending"] = "starting"
        self._cause: Cause = "start"
        self._report = b""
        self._parent_is_gone = False
        self._look_at = self._started_at = time.monotonic()
        self._finished_at: float | None = None
        self._end_at = self._started_at + START_LIMIT_S
        with contextlib.suppress(OSError):  # a site may allow only smaller pipes
            fcntl.fcntl(self._output, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
        for pipe in (self._output, self._reports):
            os.set_blocking(pipe.fileno(), False)

    def follow(self) -> None:
        """Returns when what is left may be destroyed."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._output, selectors.EVENT_READ, self._read_output)
            selector.register(self._reports, selectors.EVENT_READ, self._read_report)
            while self._goes_on():
                pause_s = min(LOOK_EVERY_S, max(0.0, self._end_at - time.monotonic()))
                for key, _ in selector.select(pause_s):
                    if not key.data():
                        selector.unregister(key.fileobj)

    def ended(self) -> Ended:
        """Call it when everything is destroyed; what is still in the pipes belongs to the script."""
        while data := _read(self._output):
            self._orders.on_output(data)
        self._read_report()
        text = self._report.decode("utf-8", "replace")
        finished_at = self._finished_at or time.monotonic()
        return Ended(self._cause, report.read_end(text), finished_at - self._started_at, text)

    def _goes_on(self) -> bool:
        if self._parent_is_gone or (self._phase == "running" and self._finished_at is not None):
            return False
        now = time.monotonic()
        if now >= self._end_at:
            return self._phase == "running" and self._end_softly("time", TERM_GRACE_S)
        if now < self._look_at:
            return True
        self._look_at = now + LOOK_EVERY_S
        return self._look()

    def _look(self) -> bool:
        if self._phase == "ending":
            return bool(self._cage.script_pids())
        if self._orders.disk_is_full():
            self._cause = "disk"
            return False
        return self._end_softly("stop", STOP_GRACE_S) if self._orders.should_stop() else True

    def _end_softly(self, cause: Cause, grace_s: float) -> bool:
        """TERM to all of them; the rest is for `destroy`."""
        self._cause, self._phase, self._end_at = cause, "ending", time.monotonic() + grace_s
        for pid in self._cage.script_pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
                os.kill(pid, signal.SIGCONT)  # one that was stopped hears it, too
        return True

    def _read_output(self) -> bool:
        """False at the end of the pipe."""
        data = _read(self._output)
        if data:
            self._orders.on_output(data)
        return data != b""

    def _read_report(self) -> bool:
        data = _read(self._reports)
        self._parent_is_gone = data == b""
        if data and len(self._report) < _REPORT_BYTES:
            self._report += data[:_REPORT_BYTES]
            self._understand(self._report.decode("utf-8", "replace"))
        return not self._parent_is_gone

    def _understand(self, text: str) -> None:
        if self._phase == "starting" and report.has_started(text):
            self._cage.started()
            self._phase, self._cause, self._started_at = "running", "script", time.monotonic()
            self._end_at = self._started_at + self._orders.time_limit_s
        if self._finished_at is None and report.read_end(text) is not None:
            self._finished_at = time.monotonic()


def _read(pipe: IO[bytes]) -> bytes | None:
    """None when there is nothing now, empty at the end."""
    try:
        return os.read(pipe.fileno(), _READ_BYTES)
    except BlockingIOError:
        return None
