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
from collections.abc import Callable, Sequence

from runner.domain.errors import Unavailable
from runner.ports import Limits, Probe, ScriptOutcome, ScriptSpec
from runner.sandboxes import proc_table, process
from runner.sandboxes.disk import DiskWatch
from runner.sandboxes.environment import script_environment
from runner.sandboxes.guard import FILE_SLACK_BYTES
from runner.sandboxes.outcome import outcome

DESTROY_LIMIT_S = 30.0
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
            return outcome(ended, disk.look())


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

    def started(self) -> None:
        pass

    def script_pids(self) -> Sequence[int]:
        return [process.pid for process in proc_table.descendants(self._supervisor.pid)]

    def destroy(self) -> None:
        """The end of its standard input is the supervisor's order to kill all and go."""
        assert self._supervisor.stdin is not None
        self._supervisor.stdin.close()
        try:
            self._supervisor.wait(DESTROY_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise Unavailable("processes of the script do not end", "sandbox_start_failed") from None
        self._kill_session()

    def _kill_session(self) -> None:
        """Nothing is left in it, unless the script has killed the supervisor. Nobody can get its id meanwhile."""
        while members := proc_table.session(self._supervisor.pid):
            for pid in members:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            if not proc_table.wait_until_gone(members, DESTROY_LIMIT_S):
                raise Unavailable("processes of the script do not end", "sandbox_start_failed")
