"""Real sandboxes that run real scripts, and a way to ask whether a process is left."""

from __future__ import annotations

import itertools
import os
import pathlib
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from runner.ignored_signals import hand_down_defaults
from runner.ports import Limits, Sandbox, ScriptOutcome, ScriptSpec
from runner.sandboxes.bubblewrap import Bubblewrap
from runner.sandboxes.local import Local


@pytest.fixture(autouse=True, scope="session")
def default_signals() -> None:
    """As in a worker: also when the tests themselves were started in the background."""
    hand_down_defaults()


@pytest.fixture(scope="session")
def bubblewrap() -> Bubblewrap:
    """Skips where bubblewrap does not work; with CI=true that is a failure."""
    sandbox = Bubblewrap()
    probe = sandbox.probe()
    if not probe.ok:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(f"{probe.reason} {probe.way_out}")
    return sandbox


@pytest.fixture(params=["bubblewrap", "local"])
def sandbox(request) -> Sandbox:
    return request.getfixturevalue("bubblewrap") if request.param == "bubblewrap" else Local()


NO_LIMITS = Limits()


@dataclass
class Ran:
    outcome: ScriptOutcome
    output: bytes
    tree: pathlib.Path
    took_s: float

    @property
    def text(self) -> str:
        return self.output.decode()


@dataclass
class Bench:
    """Runs scripts in fresh trees; `chunks` are (time since the start, bytes) of the last run."""

    root: pathlib.Path
    chunks: list[tuple[float, bytes]] = field(default_factory=list)
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    def spec(
        self, sandbox: Sandbox, script: str, time_limit_s: float = 20, limits: Limits = NO_LIMITS, **more
    ) -> ScriptSpec:
        place = self.root / str(next(self.numbers))
        tree, scratch = place / "submission", place / "scratch"
        tree.mkdir(parents=True)
        scratch.mkdir()
        (tree / "reproduce.sh").write_text(script)
        env = sandbox.environment("run_1", 1, "paper-1", tree, scratch)
        return ScriptSpec(tree, scratch, ("bash", "./reproduce.sh"), env, time_limit_s, limits=limits, **more)

    def run(self, sandbox: Sandbox, script: str, *, should_stop: Callable[[], bool] = lambda: False, **more) -> Ran:
        spec = self.spec(sandbox, script, **more)
        self.chunks = []
        began = time.monotonic()
        outcome = sandbox.run(spec, lambda data: self.chunks.append((time.monotonic() - began, data)), should_stop)
        return Ran(outcome, b"".join(data for _, data in self.chunks), spec.tree, time.monotonic() - began)


@pytest.fixture
def bench(tmp_path) -> Bench:
    return Bench(tmp_path)


_DURATIONS = itertools.count(10_000 + os.getpid() * 100 % 1_000_000)


@pytest.fixture
def duration() -> int:
    """Seconds that only this test sleeps, so that its processes can be told from all others."""
    return next(_DURATIONS)


@pytest.fixture
def sleepers() -> Callable[[int], list[int]]:
    """The pids of living `sleep N`."""

    def find(seconds: int) -> list[int]:
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if _sleeps(pid, seconds)]

    return find


def _sleeps(pid: int, seconds: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() == f"sleep\0{seconds}\0".encode()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    """Waits until a condition holds; fails after ten seconds."""

    def wait(condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < end, "it did not happen within ten seconds"
            time.sleep(0.01)

    return wait
