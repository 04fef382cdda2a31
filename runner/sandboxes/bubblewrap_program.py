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
    """`version` as `bubblewrap 0.8.0`."""

    path: str
    version: str
    can_disable_userns: bool


def find(name: str) -> Program | None:
    path = shutil.which(name, path=PATH)
    return None if path is None else _ask(path)


@functools.cache
def _ask(path: str) -> Program:
    return Program(path, _answer(path, "--version").strip(), "--disable-userns" in _answer(path, "--help"))


def _answer(path: str, question: str) -> str:
    """Both streams: older versions print their help to the second."""
    done = subprocess.run(
        [path, question], env={}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=_TIME_LIMIT_S
    )
    return done.stdout
