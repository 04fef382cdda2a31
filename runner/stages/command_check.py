"""Running a rubric's `command` check: isolated, without network, on a copy of the executed tree."""

from __future__ import annotations

import pathlib
import tempfile
from collections.abc import Callable

from runner.domain.checks import CommandOutcome
from runner.domain.run import Run
from runner.ports import Sandbox, ScriptSpec
from runner.stages import whole_trees

STDOUT_LIMIT_BYTES = 2**20
_STDOUT_ONLY = ("bash", "-c", 'exec "$@" 2>/dev/null', "command")
"""Sandboxes give both streams as one; `stdout_regex` is about the first."""


def run_command(
    sandbox: Sandbox,
    argv: tuple[str, ...],
    tree: pathlib.Path,
    timeout_s: int,
    run: Run,
    should_stop: Callable[[], bool],
) -> CommandOutcome:
    """`stdout` holds at most the first MiB of what the command printed there."""
    place = pathlib.Path(tempfile.mkdtemp(prefix="command-", dir=tree.parent))
    copy, scratch, printed = place / "submission", place / "scratch", bytearray()
    try:
        whole_trees.copy(tree, copy)
        scratch.mkdir()
        env = sandbox.environment(run.run_id, 1, run.paper_id, copy, scratch)
        spec = ScriptSpec(copy, scratch, (*_STDOUT_ONLY, *argv), env, timeout_s)
        outcome = sandbox.run(
            spec, lambda output: printed.extend(output[: STDOUT_LIMIT_BYTES - len(printed)]), should_stop
        )
    finally:
        whole_trees.remove(place)
    if outcome.failure == "sandbox_start_failed":
        return CommandOutcome(None, unavailable_reason=outcome.failure_text or "the sandbox did not start.")
    return CommandOutcome(None if outcome.timed_out else outcome.exit_code, bytes(printed))
