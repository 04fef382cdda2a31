"""A stranger's tree copied and removed as a whole, whatever it holds: pipes, shut folders, paths longer than a path can be.

coreutils walk such trees folder by folder; `shutil` runs out of stack or of path, and opens pipes.
"""

from __future__ import annotations

import pathlib
import subprocess

from runner.domain.errors import Unavailable

_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


def copy(tree: pathlib.Path, into: pathlib.Path) -> None:
    """Copies content and modes, links as links; leaves out what cannot be read. `into` must not exist.

    Raises Unavailable `storage_unavailable` when the disk is full.
    """
    into.mkdir()
    if "No space left" in _complaints("cp", "--archive", "--reflink=auto", "--", f"{tree}/.", str(into)):
        raise Unavailable("the disk is full", "storage_unavailable")


def remove(tree: pathlib.Path) -> None:
    """Raises Unavailable `storage_unavailable` when something is left. No error when there is nothing."""
    if _complaints("rm", "--recursive", "--force", "--", str(tree)):
        _complaints("chmod", "--recursive", "u+rwX", "--", str(tree))  # the script may have shut folders
        if _complaints("rm", "--recursive", "--force", "--", str(tree)):
            raise Unavailable("a work folder cannot be removed", "storage_unavailable")


def _complaints(*command: str) -> str:
    """Empty when it did all it should."""
    done = subprocess.run(
        command, env=_ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace"
    )
    return done.stderr
