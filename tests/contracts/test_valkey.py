"""The embedded Valkey: a password, kept work, and no process left behind."""

from __future__ import annotations

import os
import pathlib
import select
import signal
import stat
import subprocess
import sys

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError
from redis.retry import Retry

from runner.adapters import valkey
from runner.adapters.rqueue import RedisQueue
from runner.domain.errors import Unavailable

PARENT = """
import pathlib, sys
from runner.adapters import valkey
server = valkey.start(pathlib.Path(sys.argv[1]))
print(server.process.pid, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "再 'data' \"dir\"" / "valkey"


def processes():
    """Command lines and environments of all processes, as far as we may see them."""
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        for name in ("cmdline", "environ"):
            try:
                yield (path / name).read_bytes()
            except OSError:
                continue


def test_only_who_knows_the_password_gets_in(folder):
    with valkey.start(folder) as server, Redis.from_url(server.url) as known:
        assert known.ping()
        port = known.connection_pool.connection_kwargs["port"]
        with Redis(port=port, retry=Retry(NoBackoff(), 0)) as stranger, pytest.raises(AuthenticationError):
            stranger.ping()
        assert known.config_get("bind")["bind"] == "127.0.0.1"
        assert known.config_get("maxmemory-policy")["maxmemory-policy"] == "noeviction"


def test_the_password_stands_in_private_files_alone(folder):
    with valkey.start(folder) as server:
        password = (folder / "password").read_text()
        assert len(password) >= 32
        assert password in server.url
        assert password not in repr(server)
        assert not [text for text in processes() if password.encode() in text]
        holders = [path for path in folder.iterdir() if path.is_file() and password.encode() in path.read_bytes()]
        assert {path.name for path in holders} == {"password", "url", "valkey.conf"}
        assert {stat.S_IMODE(path.stat().st_mode) for path in holders} == {0o600}
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_work_is_still_there_after_a_restart_and_so_is_the_password(folder):
    with valkey.start(folder) as server:
        RedisQueue(server.url, "stages").enqueue("a.b", (), "job-1")
        password = (folder / "password").read_text()
    with valkey.start(folder) as server:
        assert RedisQueue(server.url, "stages").knows("job-1")
        assert password in server.url


def test_others_learn_the_address_while_it_runs(folder):
    assert valkey.known_url(folder) is None
    with valkey.start(folder) as server:
        assert valkey.known_url(folder) == server.url
    assert valkey.known_url(folder) is None


def test_two_servers_never_write_one_folder(folder, monkeypatch):
    monkeypatch.setattr(valkey, "STOP_WITHIN_S", 0.1)
    with valkey.start(folder) as server:
        with pytest.raises(Unavailable) as refused:
            valkey.start(folder)
        assert refused.value.code == "queue_unavailable"
        assert valkey.known_url(folder) == server.url


def test_a_port_that_somebody_else_was_faster_to_take_is_left_to_them(folder, tmp_path, monkeypatch):
    with valkey.start(tmp_path / "first") as first, Redis.from_url(first.url) as redis:
        taken = redis.connection_pool.connection_kwargs["port"]
        ports = iter([taken, valkey._free_port()])
        monkeypatch.setattr(valkey, "_free_port", lambda: next(ports))
        with valkey.start(folder) as second:
            assert str(taken) not in second.url
            assert Redis.from_url(second.url).ping()


def test_stopping_twice_is_no_error(folder):
    server = valkey.start(folder)
    server.stop()
    server.stop()
    assert server.process.returncode is not None


@pytest.mark.skipif(sys.platform != "linux", reason="needs PR_SET_PDEATHSIG")
def test_it_ends_with_its_parent_even_when_that_is_killed(folder):
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with parent:
        server = os.pidfd_open(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        with valkey.start(folder) as next_one:  # waits for the first one's end, then has the folder
            assert Redis.from_url(next_one.url).ping()
        assert select.select([server], [], [], 0)[0], "a process that has ended makes its handle readable"
        os.close(server)
