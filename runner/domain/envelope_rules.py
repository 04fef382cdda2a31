"""What may stand around a rubric tree (rubric-and-judge.md 2).

Unlike in the tree, keys that nobody knows are refused here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from runner.domain import numbers, patterns, tree_paths
from runner.domain.errors import Fault

_Test = Callable[[Any], bool]


def check(envelope: Mapping[str, Any]) -> list[Fault]:
    """Faults of everything but the tree; `field` as `reproduce_contract.script_path`."""
    return list(_check(envelope, _ENVELOPE, required=("reprise",), prefix=""))


def _check(
    given: Mapping[str, Any], rules: Mapping[str, _Rule], required: tuple[str, ...], prefix: str
) -> Iterator[Fault]:
    for key in required:
        if key not in given:
            yield Fault(prefix + key, "missing_field", f"{prefix}{key} is missing.")
    for key, value in given.items():
        field = prefix + ascii(key[:80])[1:-1]
        if key not in rules:
            yield Fault(field, "unknown_field", f"{field} is not a field of an envelope.")
        elif value is not None or key in required:
            yield from rules[key](field, value)


_Rule = Callable[[str, Any], Iterator[Fault]]


def _must(test: _Test, what: str) -> _Rule:
    def rule(field: str, value: Any) -> Iterator[Fault]:
        if not test(value):
            yield Fault(field, "field_invalid", f"{field} must be {what}.")

    return rule


def _object(rules: Mapping[str, _Rule], required: tuple[str, ...] = ()) -> _Rule:
    def rule(field: str, value: Any) -> Iterator[Fault]:
        if isinstance(value, dict):
            yield from _check(value, rules, required, f"{field}.")
        else:
            yield Fault(field, "field_invalid", f"{field} must be an object.")

    return rule


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 2000 and not re.search(r"[\x00-\x1f\x7f\ud800-\udfff]", value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_sha256(value: Any) -> bool:
    return isinstance(value, str) and re.match(r"[0-9a-fA-F]{64}\Z", value) is not None


def _is_artifact(value: Any) -> bool:
    """A path, folder or glob inside the submission."""
    path = tree_paths.normal(value.rstrip("/") if value != "/" else value) if isinstance(value, str) else None
    if path is None:
        return False
    try:
        tree_paths.glob(path)
    except patterns.BadPattern:
        return False
    return True


def _is_list_of(test: _Test) -> _Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _is_setting(value: Any) -> bool:
    """One Slurm value of a profile; its exact range is checked against the site when a run is launched."""
    return isinstance(value, bool) or numbers.is_finite(value) or _is_text(value) or value == ""


_ANY = _must(lambda value: True, "anything")
_TEXT = _must(_is_text, "a text of 1 to 2,000 printable characters")
_SHA256 = _must(_is_sha256, "64 hexadecimal digits")
_KINDS = ("cpu_single", "gpu_single", "gpu_multi", "mpi", "mpi_gpu")
_SLURM_FIELDS = (
    *("time_limit_sec", "nodes", "ntasks", "ntasks_per_node", "cpus_per_task", "exclusive"),
    *("gpus_per_task", "gpus_per_node", "gpu_type", "gpu_request_style", "memory_gb_per_node", "memory_gb_per_cpu"),
    *("constraint", "cpu_bind", "mem_bind", "hint", "nodelist", "exclude"),
)
_PROFILE: dict[str, _Rule] = {
    **dict.fromkeys(_SLURM_FIELDS, _must(_is_setting, "a number, a text, true or false")),
    "kind": _must(lambda value: isinstance(value, str) and value in _KINDS, f"one of {', '.join(_KINDS)}"),
    "module_loads": _must(_is_list_of(_is_text), "a list of module names"),
}
_CONTRACT: dict[str, _Rule] = {
    "script_path": _must(lambda value: value == "reproduce.sh", "reproduce.sh, the only script that is run"),
    "max_runtime_sec": _must(
        lambda value: _is_integer(value) and 1 <= value <= 2_592_000, "an integer from 1 to 2592000"
    ),
    "expected_artifacts": _must(_is_list_of(_is_artifact), "a list of relative paths inside the submission"),
    "execution_profile": _object(_PROFILE),
}
_GENERATOR: dict[str, _Rule] = {
    "model": _TEXT,
    "prompt_sha256": _SHA256,
    "generated_at": _TEXT,
    "temperature": _must(numbers.is_finite, "a finite number"),
    "seed": _must(_is_integer, "an integer"),
    "template": _TEXT,
}
_ENVELOPE: dict[str, _Rule] = {
    "reprise": _must(lambda value: _is_integer(value) and value == 1, "1"),
    "paper_sha256": _SHA256,
    "generator": _object(_GENERATOR, required=("model", "prompt_sha256", "generated_at")),
    "reproduce_contract": _object(_CONTRACT),
    "rubric": _ANY,
}
