"""The locks pin everything, name no place, and hold what every supported Python needs."""

from __future__ import annotations

import pathlib
import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PIN = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+")
PYTHONS = ("3.11.0", "3.12.0", "3.13.0", "3.14.0")


def pins(root: pathlib.Path, *locks: str) -> dict[str, str]:
    lines = [line for lock in locks for line in (root / lock).read_text().splitlines() if not line.startswith("#")]
    assert all(PIN.fullmatch(line) for line in lines), [line for line in lines if not PIN.fullmatch(line)]
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def project(root: pathlib.Path) -> dict[str, list[str]]:
    table = tomllib.loads((root / "pyproject.toml").read_text())
    return {
        "requirements.lock": [*table["project"]["dependencies"], *table["build-system"]["requires"]],
        "requirements-test.lock": table["dependency-groups"]["dev"],
    }


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-test.lock"])
def test_a_lock_is_exact_pins_alone_without_addresses(root: pathlib.Path, lock: str) -> None:
    assert pins(root, lock)
    assert "://" not in (root / lock).read_text()


def test_no_package_is_pinned_twice(root: pathlib.Path) -> None:
    assert not pins(root, "requirements.lock").keys() & pins(root, "requirements-test.lock").keys()


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-test.lock"])
def test_a_lock_satisfies_what_pyproject_asks_for(root: pathlib.Path, lock: str) -> None:
    locked = pins(root, "requirements.lock") | (pins(root, lock) if lock != "requirements.lock" else {})
    for requirement in map(Requirement, project(root)[lock]):
        assert locked.get(canonicalize_name(requirement.name), "") in requirement.specifier, requirement
        for needed in required_by(requirement.name, *requirement.extras):
            assert canonicalize_name(needed.name) in locked, f"{requirement} needs {needed}"


@pytest.mark.parametrize("locks", [("requirements.lock",), ("requirements.lock", "requirements-test.lock")])
def test_a_lock_is_closed_under_dependencies_on_every_supported_python(
    root: pathlib.Path, locks: tuple[str, ...]
) -> None:
    locked = pins(root, *locks)
    for name in locked:
        for requirement in required_by(name):
            found = locked.get(canonicalize_name(requirement.name), "")
            assert found in requirement.specifier, f"{name} needs {requirement}"


def required_by(name: str, *extras: str) -> list[Requirement]:
    """What the installed `name` needs on any supported Python, with these extras."""
    try:
        requirements = map(Requirement, distribution(name).requires or [])
    except PackageNotFoundError:
        return []
    return [requirement for requirement in requirements if is_needed(requirement, ("", *extras))]


def is_needed(requirement: Requirement, extras: tuple[str, ...]) -> bool:
    return requirement.marker is None or any(
        requirement.marker.evaluate({"python_full_version": full, "python_version": full[:4], "extra": extra})
        for full in PYTHONS
        for extra in extras
    )
