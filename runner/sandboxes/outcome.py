"""From what was watched to what is recorded."""

from __future__ import annotations

import re

from runner.ports import ScriptOutcome
from runner.sandboxes.process import Ended
from runner.sandboxes.report import End

_KILLED = End(None, "SIGKILL")
_LONGEST_TEXT = 500


def outcome(ended: Ended, disk_is_full: bool) -> ScriptOutcome:
    """A script without a report of its end was killed with its parent. `disk_is_full` is as seen at the end."""
    if ended.cause == "start":
        return _broke(0.0, _without_paths(ended.text))
    if ended.cause == "outside":
        return _broke(ended.elapsed_s, "the sandbox was ended from outside")
    end = ended.end or _KILLED
    return ScriptOutcome(
        exit_code=end.exit_code,
        signal=end.signal,
        timed_out=ended.cause == "time",
        stopped=ended.cause == "stop",
        elapsed_s=ended.elapsed_s,
        failure="disk_limit" if disk_is_full else None,
    )


def _broke(elapsed_s: float, text: str) -> ScriptOutcome:
    """Our side did, not the script."""
    return ScriptOutcome(None, None, False, False, elapsed_s, "sandbox_start_failed", text)


def _without_paths(text: str) -> str:
    """The sandbox's own words in one line."""
    printable = "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
    return re.sub(r"(?<!\S)/[^\s:]+", "…", printable)[:_LONGEST_TEXT]
