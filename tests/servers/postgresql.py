"""A PostgreSQL of its own for the tests: Debian's programs, a temporary folder, a free port of the loopback."""

from __future__ import annotations

import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import psycopg
from psycopg import sql

from tests.servers.loopback import free_port

START_LIMIT_S = 30
ACCOUNT = "postgres"
"""The server refuses to run as root; then it runs as this account, which Debian's package brings."""


class PostgreSQL:
    """A started server. Databases are copies of a template, which takes some 50 ms each."""

    def __init__(self, programs: pathlib.Path) -> None:
        self._programs = programs
        self._folder = pathlib.Path(tempfile.mkdtemp(prefix="reprise-postgresql-"))
        self._numbers = itertools.count(1)
        if os.geteuid() == 0:
            shutil.chown(self._folder, ACCOUNT, ACCOUNT)
        self._data = self._folder / "data"
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        made = self._command("initdb", "-A", "trust", "-U", ACCOUNT, "-E", "UTF8", "--no-sync", "-D", str(self._data))
        subprocess.run(made, check=True, capture_output=True, cwd=self._folder)
        self.start()

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Returns once it answers."""
        settings = (
            "fsync=off",
            "full_page_writes=off",
            "listen_addresses=127.0.0.1",
            f"unix_socket_directories={self._folder}",
        )
        named = [part for setting in settings for part in ("-c", setting)]
        with (self._folder / "log").open("ab") as log:
            command = self._command("postgres", "-D", str(self._data), "-p", str(self.port), *named)
            self._process = subprocess.Popen(command, cwd=self._folder, stdout=log, stderr=log)
        end = time.monotonic() + START_LIMIT_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((self._folder / "log").read_text())
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends connections, then the server; SIGQUIT is a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(30)
            self._process = None

    def remove(self) -> None:
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self._folder)

    def url(self, database: str) -> str:
        """As DATABASE_URL has it."""
        return f"postgresql+psycopg://{ACCOUNT}@127.0.0.1:{self.port}/{database}"

    def plain_url(self, database: str) -> str:
        """For libpq."""
        return self.url(database).replace("+psycopg", "")

    def create(self, template: str = "template0") -> str:
        """The name of a new database. Nobody may be connected to the template."""
        name = f"test_{next(self._numbers)}"
        self._say("CREATE DATABASE {} TEMPLATE {}", name, template)
        return name

    def drop(self, name: str) -> None:
        """Ends whatever is still connected."""
        self._say("DROP DATABASE {} WITH (FORCE)", name)

    def _say(self, statement: str, *names: str) -> None:
        with psycopg.connect(self.plain_url("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self.plain_url("postgres")):
                return True
        except psycopg.OperationalError:
            return False

    def _command(self, program: str, *arguments: str) -> list[str]:
        """Under the right account; the server stops when the tests are killed."""
        account = ["--reuid", ACCOUNT, "--regid", ACCOUNT, "--clear-groups"] if os.geteuid() == 0 else []
        return ["setpriv", "--pdeathsig", "INT", *account, "--", str(self._programs / program), *arguments]


def programs() -> pathlib.Path | None:
    """The folder of the newest PostgreSQL of this machine."""
    found = pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb")
    newest = max(found, key=lambda path: int(path.parent.parent.name), default=None)
    elsewhere = shutil.which("initdb")
    return newest.parent if newest else pathlib.Path(elsewhere).parent if elsewhere else None
