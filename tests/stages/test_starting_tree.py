"""What would pass for results is moved aside before the script starts."""

from __future__ import annotations

import os
import pathlib

import pytest

from runner.stages import starting_tree


@pytest.fixture
def folders(tmp_path: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    for name in ("tree", "aside"):
        (tmp_path / name).mkdir()
    return tmp_path / "tree", tmp_path / "aside"


def test_log_measurements_and_environments_are_moved(folders: tuple[pathlib.Path, pathlib.Path]) -> None:
    tree, aside = folders
    (tree / "measurements.json").write_text("{}")
    (tree / "reproduce.log").write_text("forged")
    (tree / ".venv").mkdir()
    (tree / "venv_notes.md").write_text("stays")
    assert starting_tree.set_aside(tree, aside, []) == [".venv", "measurements.json", "reproduce.log"]
    assert [path.name for path in tree.iterdir()] == ["venv_notes.md"]
    assert (aside / "reproduce.log").read_text() == "forged"


def test_expected_artifacts_that_came_along_are_moved(folders: tuple[pathlib.Path, pathlib.Path]) -> None:
    tree, aside = folders
    (tree / "out").mkdir()
    (tree / "out/a.csv").write_text("1")
    (tree / "out/b.csv").write_text("1")
    expected = ["./out/a.csv", "*.csv", "../x", "/etc/passwd", "out/none"]
    assert starting_tree.set_aside(tree, aside, expected) == ["out/a.csv"]
    assert (tree / "out/b.csv").exists()


def test_a_link_is_moved_itself_and_never_followed(
    folders: tuple[pathlib.Path, pathlib.Path], tmp_path: pathlib.Path
) -> None:
    tree, aside = folders
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.csv").write_text("precious")
    os.symlink(outside, tree / "out")
    os.symlink("nowhere", tree / "measurements.json")
    assert starting_tree.set_aside(tree, aside, ["out/a.csv"]) == ["measurements.json"]
    assert (outside / "a.csv").exists()
