"""Watches one script from its start to the end of everything it started (reproduction.md 2, limits).

The script's parent reports on standard error; standard output carries the script's own bytes. The end is the end of the
script's process, not of the output: a child that keeps the pipe open delays nothing. A script may write to the reports,
too, so none is believed about the end before the process table agrees, and the table alone is enough.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Literal, Protocol

from runner.sandboxes import report
from runner.sandboxes.report import End

START_LIMIT_S = 30.0
TERM_GRACE_S = 10.0
"""Between TERM and KILL at the time limit."""
STOP_GRACE_S = 3.0
"""The same for a cancel, which must be over within 10 s."""
TELL_LIMIT_S = 3.0
"""After the script has ended, for its parent to tell how."""
LOOK_EVERY_S = 0.25
_PIPE_BYTES = 2**16
"""What a pipe holds (pipe(7)), and so what is read at once. A larger one would delay the end of a flood of short lines."""

Cause = Literal["script", "time", "stop", "disk", "start", "outside"]


class Cage(Protocol):
    """What the watcher may do to what it watches."""

    def started(self, pid: int) -> None:
        """Called once, when the script runs; `pid` as its parent told it."""
        ...

    def script_is_gone(self) -> bool:
        """Whether the script's own process has ended, as the process table has it."""
        ...

    def script_pids(self) -> Sequence[int]:
        """The script and all that it started, as far as they live."""
        ...

    def let_go(self) -> None:
        """Has the script's parent tell what is left to tell, and end."""
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
    """`cause`: the script by itself, our time limit, a stop, the disk limit, a sandbox that did not start, or somebody
    who killed the script's parent, which nobody inside can.

    `end` is None when the script's parent could not tell. `text` is the end of its report.
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
    """Goes from `starting` to `running`, to `ending` when TERM was sent, and to `telling` when the script has ended."""

    def __init__(self, child: subprocess.Popen[bytes], cage: Cage, orders: Orders) -> None:
        assert child.stdout is not None
        assert child.stderr is not None
        self._child, self._output, self._reports = child, child.stdout, child.stderr
        self._cage, self._orders = cage, orders
        self._phase: Literal["starting", "running", "ending", "telling"] = "starting"
        self._cause: Cause = "start"
        self._report = b""
        self._pid: int | None = None
        self._end: End | None = None
        self._parent_is_gone = False
        self._look_at = self._started_at = time.monotonic()
        self._finished_at: float | None = None
        self._end_at = self._started_at + START_LIMIT_S
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
        for data in _rest(self._output):
            self._orders.on_output(data)
        for data in _rest(self._reports):
            self._listen(data)
        text = self._report.decode("utf-8", "replace")
        return Ended(self._cause, self._end, (self._finished_at or time.monotonic()) - self._started_at, text)

    def _goes_on(self) -> bool:
        if self._parent_is_gone:
            return self._lost()
        now = time.monotonic()
        if now >= self._end_at:
            return self._phase == "running" and self._end_softly("time", TERM_GRACE_S)
        if now < self._look_at:
            return True
        self._look_at = now + LOOK_EVERY_S
        return self._look()

    def _lost(self) -> bool:
        """Without its parent the script is no more. The parent's last words are still to be read."""
        self._read_report()
        if self._phase == "running":
            self._cause = "outside"
        return False

    def _look(self) -> bool:
        if self._child.poll() is not None:
            return self._lost()
        if self._phase == "telling":
            return True
        if self._phase == "ending":
            return bool(self._cage.script_pids()) or self._tell()
        if self._phase == "running" and self._cage.script_is_gone():
            return self._tell()
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

    def _tell(self) -> bool:
        now = time.monotonic()
        self._phase, self._finished_at, self._end_at = "telling", now, now + TELL_LIMIT_S
        self._cage.let_go()
        return True

    def _read_output(self) -> bool:
        """False at the end of the pipe."""
        data = _read(self._output)
        if data:
            self._orders.on_output(data)
        return data != b""

    def _read_report(self) -> bool:
        data = _read(self._reports)
        if data:
            self._listen(data)
            self._act()
        self._parent_is_gone = data == b""
        return not self._parent_is_gone

    def _listen(self, data: bytes) -> None:
        """The start is the first thing said, the end the last."""
        said = self._report + data
        self._pid = report.read_start(said) if self._pid is None else self._pid
        self._end = report.read_end(said) or self._end
        self._report = said[-report.TAIL_BYTES :]

    def _act(self) -> None:
        if self._phase == "starting" and self._pid is not None:
            self._phase, self._cause, self._started_at = "running", "script", time.monotonic()
            self._end_at = self._started_at + self._orders.time_limit_s
            self._cage.started(self._pid)
        if self._phase == "running" and self._end is not None:
            if self._cage.script_is_gone():
                self._tell()
            else:
                self._end, self._report = None, b""  # words of the script


def _read(pipe: IO[bytes]) -> bytes | None:
    """None when there is nothing now, empty at the end."""
    try:
        return os.read(pipe.fileno(), _PIPE_BYTES)
    except BlockingIOError:
        return None


def _rest(pipe: IO[bytes]) -> Iterator[bytes]:
    """What nobody adds to any more; never more than a pipe holds, should somebody do so."""
    left = _PIPE_BYTES
    while left > 0 and (data := _read(pipe)):
        left -= len(data)
        yield data
