"""Bodies over a real socket and a real gunicorn: what Flask's test client cannot show."""

from __future__ import annotations

import contextlib
import hashlib
import http.client
import json
import pathlib
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

Connection = http.client.HTTPConnection
UPLOAD = "/api/paperbench/upload"
KIND = {"Content-Type": "multipart/form-data; boundary=XbX"}
HEAD = b'--XbX\r\nContent-Disposition: form-data; name="file"; filename="big.bin"\r\n\r\n'
TAIL = b"\r\n--XbX--\r\n"
MEGABYTE = bytes(range(256)) * 4096


class Server:
    def __init__(self, port: int, folder: pathlib.Path, process: subprocess.Popen[bytes]) -> None:
        self.port = port
        self.folder = folder
        self.process = process

    def worker_peak_kb(self) -> int:
        """The most memory that the worker has ever had, in KiB."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        status = pathlib.Path(f"/proc/{children[0]}/status").read_text()
        found = re.search(r"VmHWM:\s+(\d+) kB", status)
        assert found
        return int(found[1])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, root: pathlib.Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    script = pathlib.Path(__file__).with_name("gunicorn_app.py")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number = listening.fileno()
        process = subprocess.Popen(
            [sys.executable, str(script), str(folder), str(number)],
            cwd=root,
            env={"PYTHONPATH": str(root)},
            pass_fds=[number],
            stderr=subprocess.DEVNULL,
        )
        try:
            yield Server(listening.getsockname()[1], folder, process)
        finally:
            process.terminate()
            process.wait(30)


@pytest.fixture
def connection(server: Server) -> Iterator[http.client.HTTPConnection]:
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as made:
        yield made


def form_of(megabytes: int) -> Iterator[bytes]:
    yield HEAD
    for _ in range(megabytes):
        yield MEGABYTE
    yield TAIL


def length_of(megabytes: int) -> dict[str, str]:
    return KIND | {"Content-Length": str(len(HEAD) + megabytes * 2**20 + len(TAIL))}


def test_a_large_upload_is_streamed_and_memory_stays_flat(server: Server, connection: Connection) -> None:
    connection.request("POST", UPLOAD, form_of(1), length_of(1))
    assert connection.getresponse().read()
    before = server.worker_peak_kb()
    connection.request("POST", UPLOAD, form_of(60), length_of(60))
    answer = connection.getresponse()
    made = json.loads(answer.read())
    assert answer.status == 201
    assert made["sha256"] == hashlib.sha256(MEGABYTE * 60).hexdigest()
    assert server.worker_peak_kb() - before < 16 * 1024


def test_a_client_that_sends_first_and_reads_later_gets_its_413(connection: Connection) -> None:
    connection.request("POST", UPLOAD, form_of(120), length_of(120))
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (413, "upload_too_large")
    connection.request("GET", "/healthz")
    assert connection.getresponse().status == 200


def test_a_chunked_upload_is_counted_too(connection: Connection) -> None:
    connection.request("POST", UPLOAD, form_of(2), KIND, encode_chunked=True)
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["size_bytes"]) == (201, 2 * 2**20)
    connection.request("POST", UPLOAD, form_of(100), KIND, encode_chunked=True)
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (413, "upload_too_large")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Authorization": "Bearer none"}, 401),
        ({"X-Forwarded-For": "x"}, 401),
    ],
)
def test_a_refusal_before_the_body_was_read_arrives_too(
    connection: Connection, headers: dict[str, str], status: int
) -> None:
    connection.request("POST", UPLOAD, form_of(30), length_of(30) | headers)
    answer = connection.getresponse()
    assert answer.status == status
    assert json.loads(answer.read())["code"]


def test_a_json_body_over_the_limit_gets_its_413(connection: Connection) -> None:
    body = b" " * (15 * 2**20)
    connection.request("POST", "/api/paperbench/papers/import", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (413, "body_too_large")


def test_a_client_that_stops_half_way_leaves_nothing(server: Server) -> None:
    kept = sorted(server.folder.glob("objects/uploads/*"))
    with socket.create_connection(("127.0.0.1", server.port)) as client:
        lines = [f"POST {UPLOAD} HTTP/1.1", f"Host: 127.0.0.1:{server.port}"]
        lines += [f"{name}: {value}" for name, value in length_of(5).items()]
        client.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + HEAD + MEGABYTE)
        client.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"body_incomplete" in answer
    assert sorted(server.folder.glob("objects/uploads/*")) == kept
    assert list(server.folder.glob("objects/.incoming/*")) == []


def answer_to(server: Server, *lines: bytes, body: bytes = b"") -> tuple[int, dict[str, str], dict[str, Any]]:
    """Status, headers (names in lower case) and JSON of what a raw request is answered; the connection must end."""
    host = b"" if any(line.startswith(b"Host:") for line in lines) else b"Host: 127.0.0.1:8321\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
        client.sendall(lines[0] + b"\r\n" + host + b"\r\n".join((*lines[1:], b"", body)))
        answer = b"".join(iter(lambda: client.recv(65536), b""))
    head, _, told = answer.partition(b"\r\n\r\n")
    first, *rest = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
    assert int(headers["content-length"]) == len(told)
    assert len(headers["x-request-id"]) == 26
    return int(first.split()[1]), headers, json.loads(told)


CHUNKED = (b"Transfer-Encoding: chunked",)
JSON_KIND, FORM_KIND = b"Content-Type: application/json", b"Content-Type: multipart/form-data; boundary=XbX"
IMPORT = b"POST /api/paperbench/papers/import HTTP/1.1"


@pytest.mark.parametrize(
    "chunks", [b"zz\r\n{}\r\n0\r\n\r\n", b"2\r\n{}XX0\r\n\r\n", b"2\r\n{}\r\n0\r\nbad trailer\r\n\r\n"]
)
@pytest.mark.parametrize("head", [(IMPORT, JSON_KIND), (b"POST /api/paperbench/upload HTTP/1.1", FORM_KIND)])
def test_malformed_chunks_are_the_clients_fault(server: Server, head: tuple[bytes, ...], chunks: bytes) -> None:
    status, _, told = answer_to(server, *head, *CHUNKED, body=chunks)
    assert (status, told["code"], told["retryable"]) == (400, "body_incomplete", False)


@pytest.mark.parametrize(
    ("lines", "status", "code"),
    [
        ([b"GET /" + b"a" * 9000 + b" HTTP/1.1"], 414, "uri_too_long"),
        ([b"GET / HTTP/1.1", b"X: " + b"a" * 9000], 431, "headers_too_large"),
        ([b"GET / HTTP/1.1", b"X: a\0b"], 400, "bad_request"),
        ([b"GET / HTTP/1.1", b"X y: a"], 400, "bad_request"),
        ([b"GET / HTTP/1.1", b"Host: a", b"Host: b"], 400, "bad_request"),
        ([IMPORT, b"Content-Length: 2", b"Content-Length: 3"], 400, "bad_request"),
        ([IMPORT, b"Content-Length: 2", *CHUNKED], 400, "bad_request"),
        ([IMPORT, b"Content-Length: -1"], 400, "bad_request"),
        ([b"GET / HTTP/3.7"], 400, "bad_request"),
        ([b"\x16\x03\x01"], 400, "bad_request"),
        ([IMPORT, b"Expect: wonders"], 417, "expectation_failed"),
        ([IMPORT, b"Transfer-Encoding: strange"], 501, "transfer_coding_unsupported"),
    ],
)
def test_what_gunicorn_refuses_looks_like_every_refusal(
    server: Server, lines: list[bytes], status: int, code: str
) -> None:
    got, headers, told = answer_to(server, *lines)
    assert (got, told["code"], told["retryable"]) == (status, code, False)
    assert told["error"].endswith(".")
    assert (headers["content-type"], headers["connection"]) == ("application/json", "close")


def test_a_signed_address_survives_the_way_through_the_server(connection: Connection) -> None:
    pdf = b"%PDF-1.4\n" + MEGABYTE
    body = HEAD + pdf + TAIL
    connection.request("POST", UPLOAD, body, KIND | {"Content-Length": str(len(body))})
    handle = json.loads(connection.getresponse().read())["path"]
    asked = {"source_type": "local", "source": "s", "title": "T", "paper_id": "p", "pdf_path": handle}
    connection.request("POST", "/api/paperbench/papers/import", json.dumps(asked), {"Content-Type": "application/json"})
    assert connection.getresponse().read()
    connection.request("GET", "/api/paperbench/papers/p/pdf")
    answer = connection.getresponse()
    assert answer.read()
    address = answer.headers["Location"].removeprefix("http://127.0.0.1:8321")
    connection.request("GET", address, headers={"Range": "bytes=9-18"})
    answer = connection.getresponse()
    assert (answer.status, answer.read()) == (206, MEGABYTE[:10])
    connection.request("GET", address)
    assert connection.getresponse().read() == pdf
    connection.request("HEAD", address)
    answer = connection.getresponse()
    assert (answer.read(), answer.headers["Content-Length"]) == (b"", str(len(pdf)))
    connection.request("GET", address.replace("sig=", "sig=x"))
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (403, "bad_signature")
