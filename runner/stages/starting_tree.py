"""The tree that a script starts in: what would pass for results is moved aside first (reproduction.md 2)."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator, Sequence

ALWAYS = ("reproduce.log", "reproduce.log.creation_time", "measurements.json", "venv", ".venv")
"""Our own log, values that only a run may write, and environments that do not move."""
SCRIPT = "reproduce.sh"


def set_aside(tree: pathlib.Path, aside: pathlib.Path, expected: Sequence[str]) -> list[str]:
    """Moves those paths, and files named as expected artifacts, out of the tree. Returns what moved.

    A folder that is expected stays where the script will look for it: what it holds is told apart by content later.
    """
    moved = []
    for path in sorted({*ALWAYS, *filter(lambda each: not _is_folder(tree / each), _plain(expected))} - {SCRIPT}):
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


def _is_folder(path: pathlib.Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_inside(tree: pathlib.Path, folder: pathlib.Path) -> bool:
    return pathlib.Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(tree))
