"""`make lock`: writes requirements.lock (Reprise and its build) and requirements-test.lock (what the tests add).

Pins every package, transitive ones included, without addresses. What one supported Python needs is pinned for all.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import venv

ROOT = pathlib.Path(__file__).resolve().parent.parent
PYTHONS = ("3.11.0", "3.12.0", "3.13.0", "3.14.0")
BUILD = ("editables",)

# Runs inside the fresh environment: requirements that some supported Python has and this one lacks.
MISSING = """
import json, sys
from importlib.metadata import distributions
from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name
found = {canonicalize_name(d.name) for d in distributions()}
missing = set()
for d in distributions():
    for line in d.requires or []:
        r = Requirement(line)
        wanted = not r.marker or any(
            r.marker.evaluate({"python_version": v.rpartition(".")[0], "python_full_version": v, "extra": ""})
            for v in sys.argv[1:])
        if wanted and canonicalize_name(r.name) not in found:
            missing.add(r.name + str(r.specifier))
print(json.dumps(sorted(missing)))
"""


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    runtime = [*project["project"]["dependencies"], *project["build-system"]["requires"], *BUILD]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = pathlib.Path(folder) / "bin" / "python"
        install(python, runtime)
        first = frozen(python)
        install(python, [*first, *project["dependency-groups"]["dev"]])
        both = frozen(python)
    write("requirements.lock", "Reprise and its build", first)
    write(
        "requirements-test.lock", "what the tests add to requirements.lock", [pin for pin in both if pin not in first]
    )


def install(python: pathlib.Path, requirements: list[str]) -> None:
    """Installs until nothing that a supported Python needs is missing."""
    while requirements:
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
        requirements = json.loads(subprocess.check_output([python, "-c", MISSING, *PYTHONS]))


def frozen(python: pathlib.Path) -> list[str]:
    lines = subprocess.check_output([python, "-m", "pip", "freeze", "--exclude", "setuptools"], text=True).splitlines()
    return sorted((line for line in lines if "==" in line), key=str.lower)


def write(name: str, what: str, pins: list[str]) -> None:
    header = f"# Written by `make lock`: {what}.\n"
    (ROOT / name).write_text(header + "".join(f"{pin}\n" for pin in pins))
    print(f"{name}: {len(pins)} packages", file=sys.stderr)


if __name__ == "__main__":
    main()
