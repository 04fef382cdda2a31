"""Copying and removing what a stranger's script has left."""

from __future__ import annotations

import os

from runner.stages import whole_trees


def test_a_copy_has_the_same_files_links_and_modes(tmp_path):
    tree = tmp_path / "tree"
    (tree / "d").mkdir(parents=True)
    (tree / "d/run.sh").write_text("x")
    (tree / "d/run.sh").chmod(0o755)
    (tree / "l").symlink_to("../elsewhere")
    os.mkfifo(tree / "pipe")
    whole_trees.copy(tree, tmp_path / "copy")
    assert (tmp_path / "copy/d/run.sh").read_text() == "x"
    assert (tmp_path / "copy/d/run.sh").stat().st_mode & 0o777 == 0o755
    assert os.readlink(tmp_path / "copy/l") == "../elsewhere"


def test_shut_folders_and_very_deep_ones_are_removed(tmp_path):
    tree = tmp_path / "tree"
    (tree / "shut/inner").mkdir(parents=True)
    (tree / "shut").chmod(0)
    folder = os.open(tree, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("deep", dir_fd=folder)
        inner = os.open("deep", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    whole_trees.remove(tree)
    assert not tree.exists()


def test_removing_nothing_is_no_error_and_links_are_not_followed(tmp_path):
    (tmp_path / "keep").mkdir()
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/l").symlink_to(tmp_path / "keep")
    whole_trees.remove(tmp_path / "tree")
    whole_trees.remove(tmp_path / "tree")
    assert (tmp_path / "keep").is_dir()
