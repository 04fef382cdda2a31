"""What lies in a tree, and what a run made of it: told by content alone."""

from __future__ import annotations

import os
import pathlib
import shutil

import pytest

from runner.stages import manifest
from runner.stages.manifest import Manifest


@pytest.fixture
def tree(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "tree"
    (folder / "d").mkdir(parents=True)
    (folder / "keep.csv").write_text("a\n")
    (folder / "old.csv").write_text("b\n")
    return folder


def made(tree: pathlib.Path, before: Manifest) -> dict[str, str]:
    return {entry.path: entry.kind for entry in manifest.produced(before, manifest.take(tree))}


def test_produced_is_told_by_content_not_by_time(tree: pathlib.Path) -> None:
    before = manifest.take(tree)
    shutil.copy2(tree / "keep.csv", tree / "copy.tmp")
    os.replace(tree / "copy.tmp", tree / "keep.csv")
    os.utime(tree / "old.csv")
    shutil.copy2(tree / "keep.csv", tree / "d/fresh.csv")
    assert made(tree, before) == {"d/fresh.csv": "file"}
    (tree / "old.csv").write_text("c\n")
    os.utime(tree / "old.csv", (0, 0))
    assert made(tree, before) == {"d/fresh.csv": "file", "old.csv": "file"}


def test_links_and_special_files_are_told_and_never_read(tree: pathlib.Path) -> None:
    before = manifest.take(tree)
    os.symlink("/etc/passwd", tree / "leak")
    os.symlink("/etc", tree / "folder")
    os.mkfifo(tree / "pipe")
    assert made(tree, before) == {"leak": "link", "folder": "link", "pipe": "special"}


def test_names_that_are_not_utf8_stand_in_json_and_count_as_unreadable(tree: pathlib.Path) -> None:
    before = manifest.take(tree)
    with open(os.path.join(os.fsencode(tree), b"bad\xff\nname"), "wb") as file:
        file.write(b"x")
    after = manifest.take(tree)
    assert [(e.path, e.kind) for e in manifest.produced(before, after)] == [("bad\ufffd\nname", "unreadable")]
    assert Manifest.from_json(after.to_json()) == after


def test_the_digest_is_of_names_modes_and_contents(tree: pathlib.Path, tmp_path: pathlib.Path) -> None:
    shutil.copytree(tree, tmp_path / "same")
    assert manifest.take(tree).sha256 == manifest.take(tmp_path / "same").sha256
    (tree / "keep.csv").chmod(0o755)
    assert manifest.take(tree).sha256 != manifest.take(tmp_path / "same").sha256


def test_entries_are_sorted_by_the_bytes_of_their_paths(tree: pathlib.Path) -> None:
    for name in ("Z", "a", "é", "d/x", "d.txt"):
        (tree / name).write_text("")
    paths = [entry.path for entry in manifest.take(tree).entries]
    assert paths == sorted(paths, key=str.encode)


@pytest.mark.parametrize(
    "expected,is_missing",
    [("out/a.csv", False), ("./out//a.csv", False), ("out", False), ("out/", False), ("out/*.csv", False), ("*.csv", True),
     ("**/a.csv", False), ("outer", True), ("out/a", True)],
)  # fmt: skip
def test_expected_artifacts_may_be_paths_folders_and_globs(expected: str, is_missing: bool) -> None:
    assert manifest.missing([expected], ["out/a.csv"]) == ([expected] if is_missing else [])
