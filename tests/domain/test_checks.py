"""Deciding criteria by artifact, pattern and command."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from runner.domain import checks
from runner.domain.checks import CommandOutcome
from runner.domain.executed_tree import MemoryTree
from runner.domain.execution import Execution
from runner.domain.sources import Sources
from runner.domain.verdict import Evidence, Verdict

TREE = MemoryTree(
    produced={"out/a.csv": b"1,2\n", "out/deep/b.csv": b"", "done.txt": b"x", "bad/\udcff.png": b"x"},
    kept={"README.md": b"old\nsteps=1\n"},
    log=b"start\nsteps=9\nsteps=12\n",
)


def decide(
    build: Any, execution: Execution = Execution.SUCCEEDED, outcome: CommandOutcome | None = None, **check: Any
) -> Verdict:
    def run_command(argv: tuple[str, ...], timeout_s: int) -> CommandOutcome:
        assert outcome is not None
        return outcome

    _, rule = build.rule(check=check)
    return checks.decide(rule, Sources(TREE), execution, run_command)


@pytest.mark.parametrize(
    "path,more,status",
    [
        ("done.txt", {}, "met"),
        ("out/*.csv", {}, "met"),
        ("**/b.csv", {"min_bytes": 0}, "met"),
        ("*.csv", {}, "not_met"),
        ("out/deep/b.csv", {}, "not_met"),
        ("out", {}, "not_met"),
        ("README.md", {}, "not_met"),
        ("README.md", {"produced": False}, "met"),
        ("done.txt", {"min_bytes": 2}, "not_met"),
        ("done.txt", {"sha256": hashlib.sha256(b"x").hexdigest().upper()}, "met"),
        ("done.txt", {"sha256": "0" * 64}, "not_met"),
        ("absent", {"produced": False}, "not_met"),
        ("bad/*.png", {}, "not_met"),
    ],
)
def test_an_artifact_must_be_a_plain_file_that_fits(build: Any, path: str, more: Any, status: str) -> None:
    verdict = decide(build, kind="artifact", path=path, **more)
    assert (verdict.status, verdict.score) == (status, int(status == "met"))
    assert verdict.judge.kind == "check"


def test_an_artifact_verdict_says_what_is_wrong_or_points_at_the_file(build: Any) -> None:
    assert decide(build, kind="artifact", path="out/*.csv").evidence == (Evidence("out/a.csv"),)
    unchanged = decide(build, kind="artifact", path="README.md")
    assert unchanged.explanation == "README.md came with the submission and was not changed by the run."
    none = decide(build, kind="artifact", path="**/*.csv", min_bytes=100)
    assert none.explanation.endswith("None of the 2 files that match **/*.csv will do.")


@pytest.mark.parametrize(
    "file,pattern,matches,status,line",
    [
        ("reproduce.log", "^steps=", 2, "met", 2),
        ("reproduce.log", "^steps=", 3, "not_met", 2),
        ("reproduce.log", r"^steps=12$", 1, "met", 3),
        ("reproduce.log", "(?i)STEPS", 1, "met", 2),
        ("reproduce.log", "never", 1, "not_met", None),
        ("README.md", "^steps=", 1, "met", 2),
    ],
)
def test_a_pattern_must_occur_often_enough(
    build: Any, file: str, pattern: str, matches: int, status: str, line: int | None
) -> None:
    verdict = decide(build, kind="regex", file=file, pattern=pattern, min_matches=matches)
    assert (verdict.status, verdict.evidence) == (status, (Evidence(file, line),))


@pytest.mark.parametrize("check", [{"kind": "artifact", "path": "x"}, {"kind": "regex", "file": "x", "pattern": "a"}])
@pytest.mark.parametrize(
    "execution,status,reason",
    [
        (Execution.SUCCEEDED, "not_met", "file_absent"),
        (Execution.ENDED, "not_met", "file_absent"),
        (Execution.NOT_RUN, "not_judged", "not_executed"),
        (Execution.ENVIRONMENT_FAILED, "not_judged", "environment_failed"),
    ],
)
def test_absent_is_not_met_after_a_run_and_not_judged_without_one(
    build: Any, check: Any, execution: Execution, status: str, reason: str
) -> None:
    verdict = decide(build, execution, **check)
    assert (verdict.status, verdict.reason) == (status, reason)


@pytest.mark.parametrize("execution", list(Execution))
def test_what_is_there_is_met_without_a_run_too(build: Any, execution: Execution) -> None:
    assert decide(build, execution, kind="artifact", path="README.md", produced=False).status == "met"
    assert decide(build, execution, kind="regex", file="README.md", pattern="old").status == "met"


@pytest.mark.parametrize(
    "outcome,more,status",
    [
        (CommandOutcome(0), {}, "met"),
        (CommandOutcome(3), {}, "not_met"),
        (CommandOutcome(3), {"exit_code": 3}, "met"),
        (CommandOutcome(None), {}, "not_met"),
        (CommandOutcome(0, b"Python 3.11\n"), {"stdout_regex": r"^Python 3\.\d+$"}, "met"),
        (CommandOutcome(0, b"\xff"), {"stdout_regex": "Python"}, "not_met"),
    ],
)
def test_a_command_is_met_by_its_exit_code_and_output(
    build: Any, outcome: CommandOutcome, more: Any, status: str
) -> None:
    verdict = decide(build, outcome=outcome, kind="command", run=["python3", "-V"], **more)
    assert verdict.status == status
    assert "python3" in verdict.explanation


def test_a_command_without_a_sandbox_is_not_judged(build: Any) -> None:
    outcome = CommandOutcome(None, unavailable_reason="bubblewrap is not installed.")
    verdict = decide(build, outcome=outcome, kind="command", run=["true"])
    assert (verdict.status, verdict.reason) == ("not_judged", "sandbox_unavailable")
    assert "bubblewrap is not installed." in verdict.explanation


def test_a_command_that_fails_without_its_environment_is_not_judged(build: Any) -> None:
    verdict = decide(build, Execution.ENVIRONMENT_FAILED, CommandOutcome(1), kind="command", run=["pytest"])
    assert (verdict.status, verdict.reason) == ("not_judged", "environment_failed")
