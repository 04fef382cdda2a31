"""Shared fixtures: where the test data lies, and no way out of this machine."""

from __future__ import annotations

import ipaddress
import os
import pathlib
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

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
        give_up = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        give_up(f"test data folder {folder.name} is absent: set REPRISE_TEST_DATA")
    return folder


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
