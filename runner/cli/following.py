"""Following a run on the command line, and doing its work here when no worker is alive."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from types import FrameType

import click

from runner import ignored_signals
from runner.domain.run import LogLine, Run
from runner.jobs import work
from runner.ports import Ports
from runner.usecases import runs as use

WORKER_SILENT_AFTER = timedelta(seconds=30)
_POLL_S = 0.1
_COLOURS = {"debug": "bright_black", "success": "green", "warning": "yellow", "error": "red"}
EXIT_COMPLETED, EXIT_FAILED, EXIT_DEGRADED = 0, 1, 3


def carry_out(ports: Ports, run_id: str, *, quiet: bool = False) -> Run:
    """Follows a run to its end, working on it in this process while no worker is alive. Ctrl-C, TERM and HUP cancel the run.

    `quiet` prints nothing of the log.
    """
    tell = _drain if quiet else show
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    ignored_signals.hand_down_defaults()
    worker = threading.Thread(target=_work_until_final, args=(ports, run_id), daemon=True)
    worker.start()
    try:
        tell(follow(ports, run_id))
    except KeyboardInterrupt:
        click.echo("cancelling ...", err=True)
        use.cancel(ports, run_id=run_id, actor=None)
        tell(follow(ports, run_id))
    worker.join()
    return ports.runs.get(run_id)


def follow(ports: Ports, run_id: str, after: int = -1) -> Iterator[LogLine]:
    """Lines as they come, until the run has ended and its last line is told."""
    while True:
        ended = ports.runs.get(run_id).is_final
        for line in use.log_lines(ports, run_id=run_id, after=after):
            after = line.seq
            yield line
        if ended:
            return
        time.sleep(_POLL_S)


def show(lines: Iterator[LogLine]) -> None:
    """One text line each: time, stage, message; colours on a terminal alone."""
    for line in lines:
        if not line.done:
            message = click.style(line.msg, fg=_COLOURS.get(line.level))
            click.echo(f"{line.ts:%H:%M:%S} {line.stage:<9} {message}")


def _interrupt(number: int, frame: FrameType | None) -> None:
    """A closed terminal and a polite kill are like Ctrl-C."""
    raise KeyboardInterrupt


def _drain(lines: Iterator[LogLine]) -> None:
    for _ in lines:
        pass


def worker_is_alive(ports: Ports) -> bool:
    return ports.workers.alive(ports.clock.now() - WORKER_SILENT_AFTER) > 0


def exit_code(run: Run) -> int:
    """0 completed, 3 degraded, 1 failed or cancelled."""
    if run.status != "completed":
        return EXIT_FAILED
    return EXIT_DEGRADED if run.degraded else EXIT_COMPLETED


def _work_until_final(ports: Ports, run_id: str) -> None:
    while not (run := ports.runs.get(run_id)).is_final:
        waiting = [attempt for attempt in run.attempts if attempt.state == "pending"]
        if waiting and not worker_is_alive(ports):
            work(ports, run_id, waiting[0].stage, waiting[0].number)
        else:
            time.sleep(_POLL_S)
