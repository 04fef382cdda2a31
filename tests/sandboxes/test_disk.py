"""How much a script has written."""

from __future__ import annotations

import os

from runner.sandboxes.disk import DiskWatch, used_bytes


def test_files_count_with_their_sizes(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/one").write_bytes(bytes(100_000))
    (tmp_path / "a/b/two").write_bytes(bytes(200_000))
    assert 300_000 <= used_bytes(tmp_path) < 320_000


def test_a_hard_link_counts_once_and_a_link_not_at_all(tmp_path):
    (tmp_path / "one").write_bytes(bytes(100_000))
    os.link(tmp_path / "one", tmp_path / "two")
    (tmp_path / "three").symlink_to("/usr")
    assert 100_000 <= used_bytes(tmp_path) < 110_000


def test_a_hole_counts_as_if_it_were_full(tmp_path):
    with open(tmp_path / "hole", "wb") as hole:
        hole.truncate(10**12)
    assert used_bytes(tmp_path) >= 10**12


def test_a_folder_that_is_gone_counts_nothing(tmp_path):
    assert used_bytes(tmp_path / "gone") == 0


def test_the_watch_sees_each_folder_by_itself(tmp_path, eventually):
    for name in ("tree", "scratch"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(bytes(60_000))
    with DiskWatch((tmp_path / "tree", tmp_path / "scratch"), 100_000, look_every_s=0.01) as watch:
        assert not watch.look()
        (tmp_path / "scratch/more").write_bytes(bytes(60_000))
        eventually(watch.exceeded)
