"""The tree that a script starts in: what would pass for results is moved aside first (reproduction.md 2)."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator, Sequence

ALWAYS = ("reproduce.log", "reproduce.log.creation_time", "measurements.json", "venv", ".venv")
"""Our own log, values that only a run may write, and environments that do not move."""


def set_aside(tree: pathlib.Path, aside: pathlib.Path, expected: Sequence[str]) -> list[str]:
    """Moves those paths, and the expected artifacts that came with the submission, out of the tree. Returns what moved."""
    moved = []
    for path in sorted({*ALWAYS, *_plain(expected)}):
        source = tree / path
        if os.path.lexists(source) and _is_inside(tree, source.parent):
            target = aside / path
            target.parent.mkdir(parents=True, exist_ok=True)
            os.rename(source, target)
            moved.append(path)
    return moved


def _plain(expected: Sequence[str]) -> Iterator[str]:
    """Expected artifacts that name one path; what a glob or a folder names is told apart by content later."""
    for path in expected:
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if parts and ".." not in parts and not any(sign in path for sign in "*?[") and not path.startswith("/"):
            yield "/".join(parts)


def _is_inside(tree: pathlib.Path, folder: pathlib.Path) -> bool:
    return pathlib.Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(tree))
