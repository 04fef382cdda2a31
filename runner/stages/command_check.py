"""Running a rubric's `command` check: isolated, without network, on a copy of the executed tree."""

from __future__ import annotations

import pathlib
import shutil
import tempfile
from collections.abc import Callable

from runner.domain.checks import CommandOutcome
from runner.domain.run import Run
from runner.ports import Sandbox, ScriptSpec

STDOUT_LIMIT_BYTES = 2**20


def run_command(
    sandbox: Sandbox,
    argv: tuple[str, ...],
    tree: pathlib.Path,
    timeout_s: int,
    run: Run,
    should_stop: Callable[[], bool],
) -> CommandOutcome:
    """`stdout` holds at most the first MiB of what the command printed."""
    with tempfile.TemporaryDirectory(prefix="command-", dir=tree.parent) as folder:
        copy, scratch = pathlib.Path(folder) / "submission", pathlib.Path(folder) / "scratch"
        shutil.copytree(tree, copy, symlinks=True)
        scratch.mkdir()
        spec = ScriptSpec(
            tree=copy,
            scratch=scratch,
            argv=argv,
            env=sandbox.environment(run.run_id, 1, run.paper_id, copy, scratch),
            time_limit_s=timeout_s,
        )
        printed = bytearray()

        def keep(output: bytes) -> None:
            printed.extend(output[: max(0, STDOUT_LIMIT_BYTES - len(printed))])

        outcome = sandbox.run(spec, keep, should_stop)
    if outcome.failure == "sandbox_start_failed":
        return CommandOutcome(None, unavailable_reason=outcome.failure_text or "the sandbox did not start.")
    return CommandOutcome(None if outcome.timed_out else outcome.exit_code, bytes(printed))
