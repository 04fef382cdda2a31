"""Deciding a criterion by its `check`: an artifact, a pattern in a file, a command (rubric-and-judge.md 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from runner.domain import tree_paths, verdict
from runner.domain.criterion import ArtifactCheck, Check, CommandCheck, RegexCheck
from runner.domain.executed_tree import FileFact
from runner.domain.execution import Execution
from runner.domain.json_text import is_text
from runner.domain.sources import Sources, Unreadable
from runner.domain.verdict import Evidence, Verdict

_NOT_EXECUTED = "reproduce.sh did not run, so what is absent cannot be told from what was never made."
_NOT_INSTALLED = "The environment could not be installed and reproduce.sh was not started."


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """How a command check ended. `exit_code` is None when it was killed or ran into its limit.

    `unavailable_reason` is a sentence when no isolating sandbox could run it; nothing was run then.
    """

    exit_code: int | None
    stdout: bytes = b""
    unavailable_reason: str | None = None


RunCommand = Callable[[tuple[str, ...], int], CommandOutcome]
"""Runs argv (no shell, at most so many seconds) isolated on a copy of the executed tree, network off."""


def decide(check: Check, sources: Sources, execution: Execution, run_command: RunCommand) -> Verdict:
    match check:
        case ArtifactCheck():
            return _artifact(check, sources, execution)
        case RegexCheck():
            return _regex(check, sources, execution)
        case CommandCheck():
            return _command(check, execution, run_command)


def absent(sentence: str, reason: str, execution: Execution, *evidence: Evidence) -> Verdict:
    """The verdict when something is not there: not met after a run, not judged without one."""
    if execution.had_outcome:
        return verdict.not_met(sentence, reason, *evidence)
    if execution is Execution.ENVIRONMENT_FAILED:
        return verdict.not_judged(f"{sentence} {_NOT_INSTALLED}", "environment_failed", *evidence)
    return verdict.not_judged(f"{sentence} {_NOT_EXECUTED}", "not_executed", *evidence)


def _artifact(check: ArtifactCheck, sources: Sources, execution: Execution) -> Verdict:
    matching = _matching(check, sources.tree.files())
    for path in sorted(matching):
        if _flaw(check, matching[path]) is None:
            made = "was made or changed by the run" if matching[path].produced else "is there"
            return verdict.met(f"{path} {made} ({matching[path].size_bytes} bytes).", Evidence(path))
    if not matching:
        return absent(f"No plain file matches {check.path}.", "file_absent", execution)
    return absent(_say_flaws(check, matching), "artifact_unfit", execution)


def _matching(check: ArtifactCheck, files: Mapping[str, FileFact]) -> dict[str, FileFact]:
    if not tree_paths.is_glob(check.path):
        return {check.path: files[check.path]} if check.path in files else {}
    return {path: fact for path, fact in files.items() if is_text(path) and check.pattern.matches(path)}


def _flaw(check: ArtifactCheck, fact: FileFact) -> str | None:
    if check.produced and not fact.produced:
        return "came with the submission and was not changed by the run"
    if fact.size_bytes < check.min_bytes:
        return f"has {fact.size_bytes} bytes where at least {check.min_bytes} are asked for"
    if check.sha256 is not None and fact.sha256 != check.sha256:
        return "has another SHA-256 than the one asked for"
    return None


def _say_flaws(check: ArtifactCheck, matching: Mapping[str, FileFact]) -> str:
    path = min(matching)
    others = f" None of the {len(matching)} files that match {check.path} will do." if len(matching) > 1 else ""
    return f"{path} {_flaw(check, matching[path])}.{others}"


def _regex(check: RegexCheck, sources: Sources, execution: Execution) -> Verdict:
    try:
        data = sources.text(check.file)
    except Unreadable as error:
        return absent(error.sentence, error.code, execution)
    first, count = None, 0
    for found in check.pattern.find_all(data):
        first, count = first or found, count + 1
        if count >= check.min_matches:
            break
    line = data.count(b"\n", 0, first.start) + 1 if first else None
    if count >= check.min_matches:
        times = "once" if count == 1 else f"at least {count} times"
        sentence = f"The pattern occurs {times} in {check.file}, first in line {line}."
        return verdict.met(sentence, Evidence(check.file, line))
    asked = "at least once" if check.min_matches == 1 else f"at least {check.min_matches} times"
    sentence = f"The pattern occurs {count} times in {check.file}; it must occur {asked}."
    return verdict.not_met(sentence, "too_few_matches", Evidence(check.file, line))


def _command(check: CommandCheck, execution: Execution, run_command: RunCommand) -> Verdict:
    outcome = run_command(check.run, check.timeout_s)
    if outcome.unavailable_reason is not None:
        sentence = f"The command of this criterion needs an isolating sandbox: {outcome.unavailable_reason}"
        return verdict.not_judged(sentence, "sandbox_unavailable")
    failure = _command_failure(check, outcome)
    if failure is None:
        return verdict.met(f"{check.run[0]} ended with exit code {outcome.exit_code}, as asked.")
    if execution is Execution.ENVIRONMENT_FAILED:
        return verdict.not_judged(f"{failure} {_NOT_INSTALLED}", "environment_failed")
    return verdict.not_met(failure, "command_failed")


def _command_failure(check: CommandCheck, outcome: CommandOutcome) -> str | None:
    name = check.run[0]
    if outcome.exit_code is None:
        return f"{name} was killed, at the latest after {check.timeout_s} seconds."
    if outcome.exit_code != check.exit_code:
        return f"{name} ended with exit code {outcome.exit_code}, not {check.exit_code}."
    if check.stdout_pattern and not check.stdout_pattern.matches(outcome.stdout.decode("utf-8", "replace")):
        return f"What {name} printed does not match the pattern asked for."
    return None
