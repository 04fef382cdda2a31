"""The bwrap of this host."""

from __future__ import annotations

import functools
import shutil
import subprocess
from dataclasses import dataclass

from runner.sandboxes.environment import PATH

_TIME_LIMIT_S = 10.0


@dataclass(frozen=True, slots=True)
class Program:
    """`version` as `bubblewrap 0.8.0`, with what one that is too old cannot do."""

    path: str
    version: str
    can_disable_userns: bool
    can_limit_tmpfs: bool


def find(name: str) -> Program | None:
    path = shutil.which(name, path=PATH)
    return None if path is None else _ask(path)


@functools.cache
def _ask(path: str) -> Program:
    options = _answer(path, "--help")
    can_limit_tmpfs = "--size" in options
    lack = "" if can_limit_tmpfs else " (no limit for files in memory)"
    return Program(path, _answer(path, "--version").strip() + lack, "--disable-userns" in options, can_limit_tmpfs)


def _answer(path: str, question: str) -> str:
    """Both streams: older versions print their help to the second."""
    done = subprocess.run(
        [path, question], env={}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_TIME_LIMIT_S
    )
    return done.stdout
