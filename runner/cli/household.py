"""The processes of `reprise up`: started together, started again when one dies, ended together."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import click

from runner import parent_death

READY_WITHIN_S = 60.0
STOP_WITHIN_S = 6.0
_LONGEST_PAUSE_S = 30.0
_STEADY_AFTER_S = 60.0


@dataclass
class _Member:
    name: str
    argv: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    starts: int = 0
    start_again_at: float = field(default=0.0)


class Household:
    """Child processes in groups of their own; each dies with this process, whatever ends it."""

    def __init__(self, environment: Mapping[str, str], stop: threading.Event) -> None:
        self._environment = dict(environment)
        self._members: list[_Member] = []
        self._stop = stop

    def add(self, name: str, argv: Sequence[str]) -> None:
        self._members.append(_Member(name, argv))
        self._start(self._members[-1])

    def wait_until_ready(self, host: str, port: int) -> bool:
        """True once /healthz answers 200; False when the household is to stop, or nothing answers in a minute."""
        until = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < until and not self._stop.wait(0.05):
            if _answers(host, port):
                return True
        return False

    def serve(self, go_on: Callable[[], bool]) -> None:
        """Keeps every member alive until the stop, or until `go_on` says no."""
        while go_on() and not self._stop.wait(0.2):
            for member in self._members:
                self._look_after(member)

    def stop(self) -> None:
        """TERM to all, KILL to whom is left after 6 s. No process stays."""
        alive = [member.process for member in self._members if member.process and member.process.poll() is None]
        for process in alive:
            _signal_group(process, signal.SIGTERM)
        until = time.monotonic() + STOP_WITHIN_S
        for process in alive:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, until - time.monotonic()))
        for process in alive:
            _signal_group(process, signal.SIGKILL)
            process.wait()

    def _look_after(self, member: _Member) -> None:
        now = time.monotonic()
        if member.process is not None and member.process.poll() is not None:
            if now - member.started_at > _STEADY_AFTER_S:
                member.starts = 0
            pause = min(_LONGEST_PAUSE_S, 0.5 * 2 ** min(member.starts, 10)) if member.starts > 1 else 0.0
            click.echo(f"{member.name} ended with status {member.process.returncode}: starting it again", err=True)
            member.process, member.start_again_at = None, now + pause
        if member.process is None and now >= member.start_again_at:
            self._start(member)

    def _start(self, member: _Member) -> None:
        member.process = subprocess.Popen(
            member.argv,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr.fileno(),
            start_new_session=True,
            preexec_fn=lambda: parent_death.follow(signal.SIGTERM),
        )
        member.started_at = time.monotonic()
        member.starts += 1


def _answers(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1" if host in ("0.0.0.0", "") else host, port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
