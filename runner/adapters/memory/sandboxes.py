"""A sandbox whose script is a Python function, and a site that has only this one."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

from runner.domain.errors import Invalid
from runner.ports import Probe, Sandbox, ScriptOutcome, ScriptSpec

Script = Callable[[ScriptSpec, Callable[[bytes], None], Callable[[], bool]], int | ScriptOutcome]
"""Takes the spec, a function to print with and `should_stop`; returns the exit code, or a whole outcome."""


class MemorySandbox:
    """`elapsed_s` is 1.0 for every script that returns an exit code. `specs` are those that were run."""

    kind = "bubblewrap"
    network = "off"
    isolating = True

    def __init__(self, script: Script | None = None) -> None:
        self.script = script or _succeed
        self.specs: list[ScriptSpec] = []

    def probe(self) -> Probe:
        return Probe(ok=True, version="memory")

    def environment(
        self, run_id: str, attempt: int, paper_id: str, spec_tree: pathlib.Path, scratch: pathlib.Path
    ) -> dict[str, str]:
        return {
            "HOME": str(spec_tree),
            "TMPDIR": str(scratch),
            "REPRISE_RUN_ID": run_id,
            "REPRISE_ATTEMPT": str(attempt),
            "REPRISE_PAPER_ID": paper_id,
        }

    def run(
        self, spec: ScriptSpec, on_output: Callable[[bytes], None], should_stop: Callable[[], bool]
    ) -> ScriptOutcome:
        self.specs.append(spec)
        ended = self.script(spec, on_output, should_stop)
        if isinstance(ended, ScriptOutcome):
            return ended
        return ScriptOutcome(exit_code=ended, signal=None, timed_out=False, stopped=should_stop(), elapsed_s=1.0)


class MemorySandboxes:
    """`refusal` is the code with which every kind is refused, None to give the sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.refusal: str | None = None

    def choose(self, kind: str | None) -> Sandbox:
        if self.refusal is not None:
            raise Invalid(f"The sandbox {kind} is not to be had.", self.refusal)
        return self.sandbox


def _succeed(spec: ScriptSpec, on_output: Callable[[bytes], None], should_stop: Callable[[], bool]) -> int:
    return 0
