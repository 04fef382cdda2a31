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
        return ScriptOutcome(None, None, False, False, 0.0, "sandbox_start_failed", _without_paths(ended.text))
    end = ended.end or _KILLED
    return ScriptOutcome(
        exit_code=end.exit_code,
        signal=end.signal,
        timed_out=ended.cause == "time",
        stopped=ended.cause == "stop",
        elapsed_s=ended.elapsed_s,
        failure="disk_limit" if disk_is_full else None,
    )


def _without_paths(text: str) -> str:
    """The sandbox's own words in one line."""
    return re.sub(r"(?<!\S)/[^\s:]+", "…", " ".join(text.split()))[:_LONGEST_TEXT]
