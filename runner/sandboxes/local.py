"""local: no isolation at all. The script runs as we do, sees what we see, and reaches the network.

It is in a session of its own, gets the same clean environment as elsewhere, and ends with everything it started, also
what has left its session: a small parent (`supervisor.py`) collects that.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence

from runner.domain.errors import Unavailable
from runner.ports import Limits, Probe, ScriptOutcome, ScriptSpec
from runner.sandboxes import proc_table, process
from runner.sandboxes.disk import DiskWatch
from runner.sandboxes.environment import script_environment
from runner.sandboxes.guard import FILE_SLACK_BYTES
from runner.sandboxes.outcome import outcome
from runner.sandboxes.proc_table import Process

DESTROY_LIMIT_S = 30.0
_PATIENCE_S = 1.0
"""How long the supervisor is left alone with its work."""
_SUPERVISOR = str(pathlib.Path(__file__).with_name("supervisor.py"))


class Local:
    """The port `Sandbox`."""

    kind = "local"
    network = "unrestricted"
    isolating = False

    def probe(self) -> Probe:
        return Probe(ok=True, version="no isolation")

    def environment(
        self, run_id: str, attempt: int, paper_id: str, spec_tree: pathlib.Path, scratch: pathlib.Path
    ) -> dict[str, str]:
        return script_environment(
            run_id, attempt, paper_id, network="unrestricted", home=str(spec_tree), tmpdir=str(scratch)
        )

    def run(
        self, spec: ScriptSpec, on_output: Callable[[bytes], None], should_stop: Callable[[], bool]
    ) -> ScriptOutcome:
        """Raises Unavailable `sandbox_start_failed` when something does not end. `binds` are seen anyway."""
        with DiskWatch((spec.tree, spec.scratch), spec.limits.tree_bytes) as disk, _start(spec) as supervisor:
            orders = process.Orders(spec.time_limit_s, on_output, should_stop, disk.exceeded)
            ended = process.watch(supervisor, _Group(supervisor), orders)
            return outcome(ended, ended.cause != "stop" and disk.look())


def _start(spec: ScriptSpec) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", _SUPERVISOR, json.dumps(_resource_limits(spec.limits)), *spec.argv]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command,
        cwd=spec.tree,
        env=dict(spec.env),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        bufsize=0,
        start_new_session=True,
    )


def _resource_limits(limits: Limits) -> dict[str, int]:
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": limits.tree_bytes + FILE_SLACK_BYTES,
        "RLIMIT_AS": limits.memory_bytes,
        "RLIMIT_NPROC": limits.pids,
    }
    return {name: value for name, value in wanted.items() if value is not None}


class _Group:
    """The supervisor and what it looks after."""

    def __init__(self, supervisor: subprocess.Popen[bytes]) -> None:
        self._supervisor = supervisor
        self._script: Process | None = None

    def started(self, pid: int) -> None:
        script = proc_table.living(pid)
        self._script = script if script is not None and script.parent == self._supervisor.pid else None

    def script_is_gone(self) -> bool:
        return self._script is None or proc_table.living(self._script.pid) != self._script

    def script_pids(self) -> Sequence[int]:
        return [process.pid for process in proc_table.descendants(self._supervisor.pid)]

    def let_go(self) -> None:
        """The end of its standard input is the supervisor's order to kill all and go; a script may have stopped it."""
        assert self._supervisor.stdin is not None
        self._supervisor.stdin.close()
        self._supervisor.send_signal(signal.SIGCONT)

    def destroy(self) -> None:
        end = time.monotonic() + DESTROY_LIMIT_S
        while not self._has_ended():
            if time.monotonic() > end:
                raise Unavailable("processes of the script do not end", "sandbox_start_failed")
            _kill(self.script_pids())
        self._kill_session()

    def _has_ended(self) -> bool:
        self.let_go()
        try:
            self._supervisor.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _kill_session(self) -> None:
        """Nothing is left in it, unless the script has killed the supervisor. Nobody can get its id meanwhile."""
        while members := proc_table.session(self._supervisor.pid):
            _kill(members)
            if not proc_table.wait_until_gone(members, DESTROY_LIMIT_S):
                raise Unavailable("processes of the script do not end", "sandbox_start_failed")


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
