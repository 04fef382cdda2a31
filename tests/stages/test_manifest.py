"""What lies in a tree, what a script produced, what is missing."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import socket
import tempfile

import pytest

from runner.stages import manifest, whole_trees
from runner.stages.manifest import Manifest

NOBODY = 65534


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    yield root
    whole_trees.remove(root)


def fill(root: pathlib.Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def told(taken: Manifest) -> list[tuple[str, str]]:
    return [(entry.path, entry.kind) for entry in taken.entries]


def test_files_and_links_sorted_by_the_bytes_of_their_paths(tree):
    fill(tree, {"b": "1", "a/z": "2", "a.b": "3", "é": "4"})
    (tree / "l").symlink_to("a/z")
    (tree / "a/empty").mkdir()
    taken = manifest.take(tree)
    assert told(taken) == [("a.b", "file"), ("a/z", "file"), ("b", "file"), ("l", "link"), ("é", "file")]
    assert taken.entries[1].sha256 == hashlib.sha256(b"2").hexdigest()
    assert (taken.entries[1].size_bytes, taken.entries[1].mode, taken.entries[3].target) == (1, 0o644, "a/z")


def test_the_tree_hash_depends_on_content_name_mode_and_target_but_not_on_time(tree):
    fill(tree, {"a": "1"})
    hashes = [manifest.take(tree).sha256]
    os.utime(tree / "a", (1, 1))
    assert manifest.take(tree).sha256 == hashes[0]
    for change in (
        lambda: fill(tree, {"a": "2"}),
        lambda: (tree / "a").rename(tree / "b"),
        lambda: (tree / "b").chmod(0o755),
        lambda: (tree / "l").symlink_to("b"),
        lambda: ((tree / "l").unlink(), (tree / "l").symlink_to("c")),
    ):
        change()
        hashes.append(manifest.take(tree).sha256)
    assert len(set(hashes)) == len(hashes)


def test_it_comes_back_from_json(tree):
    fill(tree, {"日本 \n x": "1"})
    (tree / "l").symlink_to(os.fsdecode(b"\xff"))
    taken = manifest.take(tree)
    assert Manifest.from_json(taken.to_json()) == taken


def test_links_are_never_followed(tree, tmp_path):
    fill(tmp_path, {"outside/secret": "1"})
    (tree / "folder").symlink_to(tmp_path / "outside")
    (tree / "file").symlink_to(tmp_path / "outside/secret")
    (tree / "loop").symlink_to("loop")
    assert told(manifest.take(tree)) == [("file", "link"), ("folder", "link"), ("loop", "link")]


def test_pipes_and_sockets_do_not_hold_us_up(tree):
    os.mkfifo(tree / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{os.open(tree, os.O_PATH)}/socket")
    assert told(manifest.take(tree)) == [("pipe", "special"), ("socket", "special")]


def test_a_name_that_is_no_utf8_can_be_told(tree):
    (tree / os.fsdecode(b"a\xff")).write_text("1")
    (tree / os.fsdecode(b"d\xff")).mkdir()
    (tree / os.fsdecode(b"d\xff/inner")).write_text("1")
    taken = manifest.take(tree)
    assert told(taken) == [("a�", "unreadable"), ("d�/inner", "unreadable")]
    json.loads(taken.to_json().decode("utf-8"))


def test_a_tree_deeper_than_any_path_is_told_as_far_as_it_goes(tree):
    fill(tree, {"top.txt": "1"})
    folder = os.open(tree, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("deep", dir_fd=folder)
        inner = os.open("deep", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    kinds = {kind for _, kind in told(manifest.take(tree))}
    assert kinds == {"file", "unreadable"}


@contextlib.contextmanager
def as_somebody_else(folder):
    """Root may read everything: reads `folder` with the rights of nobody."""
    if os.geteuid() != 0:
        yield
        return
    os.chown(folder, NOBODY, NOBODY)
    for path in folder.rglob("*"):
        os.chown(path, NOBODY, NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_what_the_script_has_shut_is_unreadable():
    with tempfile.TemporaryDirectory() as name:
        tree = pathlib.Path(name)
        fill(tree, {"shut/inner": "1", "file": "2", "open": "3"})
        (tree / "file").chmod(0)
        (tree / "shut").chmod(0)
        with as_somebody_else(tree):
            entries = told(manifest.take(tree))
        (tree / "shut").chmod(0o700)
    assert entries == [("file", "unreadable"), ("open", "file"), ("shut", "unreadable")]


def test_produced_is_told_by_content_and_not_by_time_or_mode(tree):
    fill(tree, {"keep": "a", "touched": "b", "changed": "old", "mode": "c", "gone": "d", "was": "e"})
    before = manifest.take(tree)
    os.utime(tree / "touched")
    (tree / "mode").chmod(0o755)
    (tree / "gone").unlink()
    fill(tree, {"changed": "new", "d/fresh": "a"})
    os.utime(tree / "changed", (1, 1))
    (tree / "was").unlink()
    (tree / "was").symlink_to("keep")
    made = manifest.produced(before, manifest.take(tree))
    assert [(entry.path, entry.kind) for entry in made] == [("changed", "file"), ("d/fresh", "file"), ("was", "link")]


def test_a_log_that_the_script_wrote_is_never_an_output(tree):
    before = manifest.take(tree)
    fill(tree, {"reproduce.log": "forged", "sub/reproduce.log": "fine"})
    made = manifest.produced(before, manifest.take(tree))
    assert [(entry.path, entry.kind) for entry in made] == [("reproduce.log", "special"), ("sub/reproduce.log", "file")]


@pytest.mark.parametrize(
    ("expected", "is_missing"),
    [
        ("out/a.csv", False),
        ("./out//a.csv", False),
        ("out", False),
        ("out/", False),
        ("out/*.csv", False),
        ("**/*.csv", False),
        ("runs/*/", False),
        ("fig[1].png", False),
        ("e\u0301.txt", False),
        ("out/b.csv", True),
        ("ou", True),
        ("*.csv", True),
        ("../out/a.csv", True),
        ("/out/a.csv", True),
        ("", True),
    ],
)
def test_missing_are_paths_folders_and_globs_that_nothing_satisfies(expected, is_missing):
    made = ["out/a.csv", "runs/one/deep/x", "fig[1].png", "é.txt"]
    assert manifest.missing([expected], made) == ([expected] if is_missing else [])
