"""Reading the `check` of a leaf: one object whose `kind` decides its other keys (rubric-and-judge.md 1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from runner.domain import patterns, tree_paths
from runner.domain.criterion import ArtifactCheck, Check, CommandCheck, RegexCheck

Problems = list[str]
_SHA256 = re.compile(r"[0-9a-fA-F]{64}\Z")


def read_check(given: object, has_measurement: bool, problems: Problems) -> Check | None:
    """The check, None for kind `measurement`, or None after one sentence per problem was appended."""
    if given is None:
        return None
    if not isinstance(given, dict):
        problems.append("check must be an object")
        return None
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        problems.append("check.kind must be one of measurement, artifact, command, regex")
        return None
    if has_measurement != (kind == "measurement"):
        sentence = "check of a leaf with a measurement can only be of kind measurement"
        problems.append(sentence if has_measurement else "check of kind measurement needs a measurement")
    keys, read = _KINDS[kind]
    if strange := sorted(set(given) - keys - {"kind"}):
        problems.append(f"check of kind {kind} does not know the key {strange[0][:80]!r}")
    before = len(problems)
    check = read(given, problems)
    return check if len(problems) == before else None


def read_pattern(name: str, given: object, problems: Problems) -> patterns.Pattern | None:
    """An RE2 pattern whose `^` and `$` match at lines."""
    if not isinstance(given, str) or not given:
        problems.append(f"{name} must be a regular expression")
        return None
    try:
        return patterns.by_lines(given)
    except patterns.BadPattern as error:
        problems.append(f"{name} is no regular expression of RE2: {error}")
        return None


def _read_artifact(given: Mapping[str, Any], problems: Problems) -> Check | None:
    path = tree_paths.normal(given["path"]) if isinstance(given.get("path"), str) else None
    sha256, produced = given.get("sha256"), given.get("produced", True)
    min_bytes = _integer("check.min_bytes", given.get("min_bytes", 1), 0, 2**63 - 1, problems)
    if path is None:
        problems.append("check.path must be a relative path or glob inside the submission, without '..'")
    if sha256 is not None and not (isinstance(sha256, str) and _SHA256.match(sha256)):
        problems.append("check.sha256 must be 64 hexadecimal digits")
    if not isinstance(produced, bool):
        problems.append("check.produced must be true or false")
    if path is None:
        return None
    try:
        return ArtifactCheck(path, tree_paths.glob(path), min_bytes, sha256 and sha256.lower(), produced)
    except patterns.BadPattern as error:
        problems.append(f"check.path is no glob: {error}")
        return None


def _read_command(given: Mapping[str, Any], problems: Problems) -> Check | None:
    run, pattern = given.get("run"), None
    if not isinstance(run, list) or not run or not all(map(_is_word, run)) or not run[0]:
        problems.append("check.run must be a list of texts: the program and its arguments")
        run = []
    if given.get("stdout_regex") is not None:
        pattern = read_pattern("check.stdout_regex", given["stdout_regex"], problems)
    timeout_s = _integer("check.timeout_sec", given.get("timeout_sec", 60), 1, 600, problems)
    exit_code = _integer("check.exit_code", given.get("exit_code", 0), 0, 255, problems)
    return CommandCheck(tuple(run), timeout_s, exit_code, pattern)


def _read_regex(given: Mapping[str, Any], problems: Problems) -> Check | None:
    file = tree_paths.normal(given["file"]) if isinstance(given.get("file"), str) else None
    if file is None:
        problems.append("check.file must be a relative path inside the submission, without '..'")
    pattern = read_pattern("check.pattern", given.get("pattern"), problems)
    min_matches = _integer("check.min_matches", given.get("min_matches", 1), 1, 2**31 - 1, problems)
    return RegexCheck(file, pattern, min_matches) if file is not None and pattern is not None else None


def _read_measurement(given: Mapping[str, Any], problems: Problems) -> Check | None:
    return None


def _is_word(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def _integer(name: str, value: object, low: int, high: int, problems: Problems) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        problems.append(f"{name} must be an integer from {low} to {high}")
        return low
    return value


_Reader = Callable[[Mapping[str, Any], Problems], Check | None]
_KINDS: dict[str, tuple[set[str], _Reader]] = {
    "measurement": (set(), _read_measurement),
    "artifact": ({"path", "min_bytes", "sha256", "produced"}, _read_artifact),
    "command": ({"run", "timeout_sec", "exit_code", "stdout_regex"}, _read_command),
    "regex": ({"file", "pattern", "min_matches"}, _read_regex),
}
