"""Tests cannot leave this machine by accident."""

from __future__ import annotations

import socket

import pytest


def is_refused(error: BaseException) -> bool:
    return type(error).__name__ == "NetworkForbidden"


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80)])
def test_a_connection_to_another_machine_is_refused_before_any_packet(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as client, pytest.raises(RuntimeError, match=r"connected to .*") as caught:
        client.connect(address)
    assert is_refused(caught.value)


def test_a_datagram_to_another_machine_is_refused() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client, pytest.raises(RuntimeError) as caught:
        client.sendto(b"x", ("192.0.2.1", 53))
    assert is_refused(caught.value)


def test_a_name_of_another_machine_is_not_looked_up() -> None:
    with pytest.raises(RuntimeError, match=r"looked up reprise\.example") as caught:
        socket.create_connection(("reprise.example", 443), timeout=1)
    assert is_refused(caught.value)


def test_the_loopback_and_local_sockets_stay_open() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(("localhost", server.getsockname()[1]), timeout=5) as client,
    ):
        assert client.getpeername()[0] == "127.0.0.1"
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"x")
        assert right.recv(1) == b"x"
