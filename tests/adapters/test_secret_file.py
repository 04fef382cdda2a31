"""Secrets that are made once."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from runner.adapters import secret_file
from runner.domain.errors import Unavailable


def test_a_secret_is_made_once_and_only_its_owner_can_read_it(tmp_path):
    path = tmp_path / "new" / "secret"
    secret = secret_file.kept(path)
    assert len(secret) == 43
    assert secret_file.kept(path) == path.read_text() == secret
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_all_who_start_at_once_get_the_same(tmp_path):
    with ThreadPoolExecutor(16) as threads:
        secrets = set(threads.map(lambda _: secret_file.kept(tmp_path / "secret"), range(32)))
    assert len(secrets) == 1
    assert list(tmp_path.iterdir()) == [tmp_path / "secret"]


def test_two_files_hold_two_secrets(tmp_path):
    assert secret_file.kept(tmp_path / "a") != secret_file.kept(tmp_path / "b")


def test_a_file_that_cannot_be_read_is_not_replaced(tmp_path):
    (tmp_path / "secret").mkdir()
    with pytest.raises(IsADirectoryError):
        secret_file.kept(tmp_path / "secret")


@pytest.mark.parametrize("mode", [0o644, 0o620, 0o604])
def test_a_secret_that_others_can_reach_is_refused_with_the_way_out(tmp_path, mode):
    path = tmp_path / "secret"
    secret = secret_file.kept(path)
    path.chmod(mode)
    with pytest.raises(Unavailable) as refused:
        secret_file.kept(path)
    assert refused.value.code == "secret_exposed"
    assert f"chmod 600 {path}" in refused.value.message
    path.chmod(0o600)
    assert secret_file.kept(path) == secret
