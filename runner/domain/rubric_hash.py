"""What identifies a rubric: the SHA-256 of its tree without `flags`, which stand beside the version."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import rfc8785


def sha256(tree: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of the RFC 8785 form of the tree without `flags`; key order and `1` or `1.0` do not matter."""
    bare, _ = split_flags(tree)
    return hashlib.sha256(canonical(bare)).hexdigest()


def canonical(value: Any) -> bytes:
    """The RFC 8785 form. An integer that no double holds exactly counts as the nearest double, as RFC 8785 has it."""
    try:
        return rfc8785.dumps(value)
    except rfc8785.IntegerDomainError:
        return rfc8785.dumps(_as_doubles(value))


def split_flags(tree: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The tree without `flags`, and the flags by JSON pointer of their node."""
    flags: dict[str, list[str]] = {}
    return _without_flags(tree, "", flags), flags


def with_flags(tree: Mapping[str, Any], flags: Mapping[str, list[str]]) -> dict[str, Any]:
    """The reverse of `split_flags`."""
    return _with_flags(tree, "", flags) if flags else dict(tree)


def _without_flags(node: Mapping[str, Any], pointer: str, flags: dict[str, list[str]]) -> dict[str, Any]:
    bare = dict(node)
    if "flags" in bare:
        flags[pointer] = bare.pop("flags")
    if bare["sub_tasks"]:
        bare["sub_tasks"] = [
            _without_flags(child, f"{pointer}/sub_tasks/{n}", flags) for n, child in enumerate(bare["sub_tasks"])
        ]
    return bare


def _with_flags(node: Mapping[str, Any], pointer: str, flags: Mapping[str, list[str]]) -> dict[str, Any]:
    children = [_with_flags(child, f"{pointer}/sub_tasks/{n}", flags) for n, child in enumerate(node["sub_tasks"])]
    own = {"flags": flags[pointer]} if pointer in flags else {}
    return {**node, "sub_tasks": children, **own}


def _as_doubles(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_doubles(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_as_doubles(member) for member in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
