"""What is moved aside before a script starts."""

from __future__ import annotations

import pytest

from runner.stages import starting_tree


@pytest.fixture
def place(tmp_path):
    for name in ("tree", "aside"):
        (tmp_path / name).mkdir()
    return tmp_path


def test_logs_values_environments_and_expected_files_go(place):
    tree = place / "tree"
    for path in ("reproduce.log", "measurements.json", "out/table.csv", "keep.csv", "reproduce.sh"):
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text(path)
    (tree / "venv/bin").mkdir(parents=True)
    (tree / ".venv").symlink_to("venv")
    moved = starting_tree.set_aside(tree, place / "aside", ["./out/table.csv", "absent.csv", "keep.*", "reproduce.sh"])
    assert moved == [".venv", "measurements.json", "out/table.csv", "reproduce.log", "venv"]
    assert sorted(path.name for path in tree.iterdir()) == ["keep.csv", "out", "reproduce.sh"]
    assert (place / "aside/out/table.csv").read_text() == "out/table.csv"
    assert (place / "aside/venv/bin").is_dir()


def test_an_expected_folder_stays_where_the_script_will_write(place):
    (place / "tree/results").mkdir()
    (place / "tree/results/old.csv").write_text("1")
    assert starting_tree.set_aside(place / "tree", place / "aside", ["results/", "results"]) == []


def test_a_folder_in_the_place_of_our_log_goes_too(place):
    (place / "tree/reproduce.log").mkdir()
    assert starting_tree.set_aside(place / "tree", place / "aside", []) == ["reproduce.log"]


def test_nothing_outside_is_moved(place):
    (place / "outside").mkdir()
    (place / "outside/x").write_text("1")
    (place / "tree/link").symlink_to(place / "outside")
    assert starting_tree.set_aside(place / "tree", place / "aside", ["link/x", "../outside/x", "/etc/hosts"]) == []
    assert (place / "outside/x").exists()
