"""bubblewrap: an isolating sandbox without a service and without root (https://github.com/containers/bubblewrap).

The script sees its submission at /submission, its TMPDIR at /scratch, and a read-only system. It has no network, its
own pids, no capabilities, and is user 1000, whoever we are: what it writes belongs to us outside.

Memory and pids are limited by RLIMIT_AS (each process) and RLIMIT_NPROC; the kernel does not apply the latter to what
root started (setrlimit(2)), so a service that is to limit pids must not run as root. Before Linux 5.14 it counts all
processes of our user on this host. Files in memory are limited by bubblewrap_arguments.TMPFS_BYTES.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from runner.domain.errors import Invalid, Unavailable
from runner.ports import Probe, ScriptOutcome, ScriptSpec
from runner.sandboxes import bubblewrap_probe, bubblewrap_program, proc_table, process
from runner.sandboxes.bubblewrap_arguments import SCRATCH, TREE, arguments
from runner.sandboxes.bubblewrap_program import Program
from runner.sandboxes.disk import DiskWatch
from runner.sandboxes.environment import script_environment
from runner.sandboxes.outcome import outcome
from runner.sandboxes.proc_table import Process

PROBE_VALID_S = 600.0
DESTROY_LIMIT_S = 30.0
_GUARD, _SCRIPT = 1, 2
"""Their pids inside, whatever is reported: the guard starts nothing else, and the kernel never gives so low a pid again."""
_BWRAP_END_LIMIT_S = 1.0
"""For bwrap itself, when nothing is left inside."""


class Bubblewrap:
    """The port `Sandbox`. `own_port`: a port of this service, which the probe must not reach from inside."""

    kind = "bubblewrap"
    network = "off"
    isolating = True

    def __init__(self, own_port: int | None = None, program: str = "bwrap") -> None:
        self._own_port = own_port
        self._program = program
        self._probed: tuple[float, Probe] | None = None
        self._lock = threading.Lock()

    def probe(self) -> Probe:
        """Really runs; the answer is good for ten minutes."""
        with self._lock:
            if self._probed is None or time.monotonic() - self._probed[0] > PROBE_VALID_S:
                self._probed = (
                    time.monotonic(),
                    bubblewrap_probe.probe(self, bubblewrap_program.find(self._program), self._own_port),
                )
            return self._probed[1]

    def environment(
        self, run_id: str, attempt: int, paper_id: str, spec_tree: pathlib.Path, scratch: pathlib.Path
    ) -> dict[str, str]:
        return script_environment(run_id, attempt, paper_id, network="off", home=TREE, tmpdir=SCRATCH)

    def run(
        self, spec: ScriptSpec, on_output: Callable[[bytes], None], should_stop: Callable[[], bool]
    ) -> ScriptOutcome:
        """Raises Invalid `sandbox_network_unenforceable`; Unavailable `sandbox_start_failed` if all does not end."""
        if spec.network:
            raise Invalid(
                "A network that keeps this host's own services out is not available in this version.",
                "sandbox_network_unenforceable",
            )
        program = bubblewrap_program.find(self._program)
        if program is None:
            return ScriptOutcome(None, None, False, False, 0.0, "sandbox_start_failed", "bwrap is not installed")
        with DiskWatch((spec.tree, spec.scratch), spec.limits.tree_bytes) as disk, _start(program, spec) as child:
            orders = process.Orders(spec.time_limit_s, on_output, should_stop, disk.exceeded)
            ended = process.watch(child, _Bubble(child), orders)
            return outcome(ended, ended.cause != "stop" and disk.look())


def _start(program: Program, spec: ScriptSpec) -> subprocess.Popen[bytes]:
    """bwrap itself gets no environment: the script could read it in /proc/1/environ."""
    command = [program.path, *arguments(spec, program)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env={}, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True)


class _Bubble:
    """The processes of one sandbox: bwrap; in its pid namespace the guard (1), and the script (2) with its own."""

    def __init__(self, bwrap: subprocess.Popen[bytes]) -> None:
        self._bwrap = bwrap
        self._guard: Process | None = None
        self._script: Process | None = None

    def started(self, pid: int) -> None:
        inside = {process.inner: process for process in self._inside(lambda process: True)}
        self._guard = inside.get(_GUARD)
        self._script = inside.get(_SCRIPT)

    def script_is_gone(self) -> bool:
        return self._script is None or proc_table.living(self._script.pid) != self._script

    def script_pids(self) -> Sequence[int]:
        return [process.pid for process in self._inside(lambda process: process.inner != _GUARD)]

    def let_go(self) -> None:
        assert self._bwrap.stdin is not None
        self._bwrap.stdin.close()

    def destroy(self) -> None:
        """With the first process of a pid namespace all others die. bwrap outside collects it, and ends.

        Killing bwrap would do (--die-with-parent), but leave the collecting to this host's pid 1, which in a container may
        be a program that never does it.
        """
        guards = {process.pid for process in self._inside(lambda process: process.inner == _GUARD)}
        for pid in guards:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._bwrap.wait(DESTROY_LIMIT_S if guards else _BWRAP_END_LIMIT_S)
        self._bwrap.kill()
        self._bwrap.wait()
        guards |= set() if self._guard is None else {self._guard.pid}
        if not proc_table.wait_until_gone(guards, DESTROY_LIMIT_S):
            raise Unavailable("processes of the sandbox do not end", "sandbox_start_failed")

    def _inside(self, wanted: Callable[[Process], bool]) -> Iterator[Process]:
        return (p for p in proc_table.descendants(self._bwrap.pid) if p.inner is not None and wanted(p))
