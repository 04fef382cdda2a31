"""Runs parts of the suite one after another, each on all cores, and prints the seconds of each part.

    python tests/run_parts.py static fast services e2e

A part whose folder does not exist is an error, and so is a part without tests. Exit code 1 when any part failed.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(sys.executable).parent


@dataclass(frozen=True, slots=True)
class Part:
    """Commands that run side by side; the part passes when all of them end with 0."""

    what: str
    commands: tuple[tuple[str, ...], ...]


def pytest(*arguments: str, spread: str = "worksteal") -> tuple[str, ...]:
    return (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--durations=5",
        "--durations-min=3",
        "-n",
        str(max(2, os.cpu_count() or 2)),
        "--dist",
        spread,
        *arguments,
    )


SLOW_FOLDERS = ("contracts", "e2e")
PARTS = {
    "static": Part(
        "lint, format, types, import rules",
        (
            ("ruff", "check", "."),
            ("ruff", "format", "--check", "."),
            ("mypy",),
            ("lint-imports",),
        ),
    ),
    "fast": Part(
        "tests without a started service", (pytest("tests", *(f"--ignore=tests/{folder}" for folder in SLOW_FOLDERS)),)
    ),
    "services": Part("ports against real services", (pytest("tests/contracts", spread="loadfile"),)),
    "e2e": Part("a started server, its workers and the command line", (pytest("tests/e2e", spread="loadfile"),)),
}


def main(names: list[str]) -> int:
    rows = []
    for name in names:
        print(f"\n=== {name}: {PARTS[name].what}", flush=True)
        started = time.monotonic()
        passed = run(PARTS[name])
        rows.append((name, time.monotonic() - started, passed))
    print("\npart        seconds  result")
    for name, seconds, passed in rows:
        print(f"{name:<10} {seconds:>8.1f}  {'passed' if passed else 'FAILED'}")
    print(f"{'all':<10} {sum(row[1] for row in rows):>8.1f}", flush=True)
    return 0 if all(row[2] for row in rows) else 1


def run(part: Part) -> bool:
    """Starts all commands of the part; a single one writes straight through, several are printed one after another."""
    if len(part.commands) == 1:
        return subprocess.run(part.commands[0], cwd=ROOT, check=False).returncode == 0
    started = [
        subprocess.Popen(
            command, cwd=ROOT, env=with_tools(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for command in part.commands
    ]
    codes = []
    for command, process in zip(part.commands, started, strict=True):
        output, _ = process.communicate()
        codes.append(process.returncode)
        print(f"--- {' '.join(command)} [{process.returncode}]\n{output}", end="", flush=True)
    return not any(codes)


def with_tools() -> dict[str, str]:
    """The environment with the virtual environment's programs first in PATH."""
    return {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}"}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(PARTS)))
