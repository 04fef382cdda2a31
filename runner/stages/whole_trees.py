"""A stranger's tree copied and removed as a whole, whatever it holds: pipes, shut folders, paths longer than a path can be.

coreutils walk such trees folder by folder; `shutil` runs out of stack or of path, and opens pipes.
"""

from __future__ import annotations

import pathlib
import subprocess

from runner.domain.errors import Unavailable


def copy(tree: pathlib.Path, into: pathlib.Path) -> None:
    """Copies content and modes, links as links. Leaves out what cannot be read. `into` must not exist."""
    into.mkdir()
    _run("cp", "--archive", "--reflink=auto", "--", f"{tree}/.", str(into))


def remove(tree: pathlib.Path) -> None:
    """Raises Unavailable `storage_unavailable` when something is left. No error when there is nothing."""
    if not _run("rm", "--recursive", "--force", "--", str(tree)):
        _run("chmod", "--recursive", "u+rwX", "--", str(tree))  # the script may have shut folders
        if not _run("rm", "--recursive", "--force", "--", str(tree)):
            raise Unavailable("a work folder cannot be removed", "storage_unavailable")


def _run(*command: str) -> bool:
    """Whether it did all it should."""
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
