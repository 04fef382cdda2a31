"""POST /upload."""

from __future__ import annotations

import hashlib
import io
import re
from typing import Any

import pytest

from runner.ports import Ports

BOUNDARY = "XbX"
KIND = f"multipart/form-data; boundary={BOUNDARY}"


def form(*parts: tuple[str, bytes], end: bytes = b"--XbX--\r\n") -> bytes:
    """A form written by hand: (headers after `form-data; `, bytes)."""
    body = b""
    for header, data in parts:
        body += f"--{BOUNDARY}\r\nContent-Disposition: form-data; {header}\r\n\r\n".encode() + data + b"\r\n"
    return body + end


def send(api: Any, body: bytes, kind: str = KIND) -> Any:
    stream = io.BytesIO(body)
    return api.send("POST", "/upload", input_stream=stream, content_length=len(body), content_type=kind)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"%PDF\r\n--\r\n----\n",
        b"-" * 9,
        b"\r\n",
        b"\r",
        b"\n\r\n\r",
        b"\r\n--XbY--\r\n",
        b"a" * 65535 + b"\r\n--Xb",
        bytes(range(256)) * 1000,
        b"\r\n" * 70_000,
    ],
)
def test_every_byte_is_kept(api: Any, ports: Ports, data: bytes) -> None:
    for made in (send(api, form(('name="file"; filename="a"', data))), api.form("/upload", data, "a")):
        answer = made.get_json()
        assert made.status_code == 201, answer
        assert answer["sha256"] == hashlib.sha256(data).hexdigest()
        assert answer["size_bytes"] == len(data)
        assert re.fullmatch("up_[0-9A-HJKMNP-TV-Z]{26}", answer["upload_id"])
        assert answer["path"] == f"upload:{answer['upload_id']}"
        with ports.objects.open(f"uploads/{answer['upload_id']}") as stored:
            assert stored.read() == data


def test_equal_names_never_overwrite(api: Any) -> None:
    first, second = api.upload(b"1", "same"), api.upload(b"2", "same")
    assert first["filename"] == second["filename"] == "same"
    assert first["upload_id"] != second["upload_id"]


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('filename="../../x.pdf"', "x.pdf"),
        ('filename="C:\\docs\\y.pdf"', "y.pdf"),
        ('filename="再現.pdf"', "再現.pdf"),
        ("filename*=UTF-8''%E5%86%8D.pdf", "再.pdf"),
        ('filename="a\tb\x7f\x85.pdf"', "ab.pdf"),
        ('filename="a/"', "file"),
        ('filename=""', "file"),
        ('filename=".."', ".."),
        (f'filename="{"x" * 300}"', "x" * 200),
    ],
)
def test_the_name_is_only_a_name(api: Any, header: str, name: str) -> None:
    assert send(api, form((f'name="file"; {header}', b"x"))).get_json()["filename"] == name


def test_other_parts_are_ignored(api: Any) -> None:
    body = form(('name="note"', b"n"), ('name="file"; filename="a"', b"data"), ('name="z"; filename="z"', b"z" * 1000))
    assert send(api, body).get_json()["size_bytes"] == 4


def test_a_form_without_the_part_is_422(api: Any, refused: Any) -> None:
    told = refused(send(api, form(('name="other"; filename="a"', b"x"))), 422, "validation_failed")
    assert told["details"][0]["field"] == "file"
    refused(send(api, b"--XbX--\r\n"), 422, "validation_failed")


def test_two_files_are_refused_and_nothing_is_kept(api: Any, refused: Any, ports: Ports) -> None:
    body = form(('name="file"; filename="a"', b"1"), ('name="file"; filename="b"', b"2"))
    refused(send(api, body), 422, "validation_failed")
    assert list(ports.objects.keys("uploads/")) == []


@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/octet-stream"])
def test_anything_but_multipart_is_415(api: Any, refused: Any, kind: str) -> None:
    refused(send(api, b'{"file": "x"}', kind), 415, "unsupported_media_type")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (form(('name="file"; filename="a"', b"cut"), end=b""), KIND),
        (form(('name="file"; filename="a"', b"x")), "multipart/form-data"),
        (b"no form at all", KIND),
        (b"", KIND),
        (b"--XbX\r\n\r\n\r\nno headers\r\n--XbX--\r\n", KIND),
        (b"--XbX\r\n\xff\xfe: 1\r\n\r\nx\r\n--XbX--\r\n", KIND),
        (b"--XbX\r\nX: " + b"h" * 2**21 + b"\r\n\r\nx\r\n--XbX--\r\n", KIND),
    ],
)
def test_a_broken_form_is_400_and_nothing_is_kept(api: Any, refused: Any, ports: Ports, body: bytes, kind: str) -> None:
    refused(send(api, body, kind), 400, "bad_multipart")
    assert list(ports.objects.keys("uploads/")) == []


def test_too_large_is_413_and_nothing_is_kept(build: Any, refused: Any, ports: Ports) -> None:
    api = build(max_upload_mb=1)
    assert api.form("/upload", b"\0" * 2**20).status_code == 201
    kept = list(ports.objects.keys("uploads/"))
    refused(api.form("/upload", b"\0" * (2**20 + 1)), 413, "upload_too_large")
    refused(api.form("/upload", b"\0" * 2**22), 413, "upload_too_large")
    assert list(ports.objects.keys("uploads/")) == kept


def test_a_length_that_is_not_announced_is_counted_too(build: Any, refused: Any) -> None:
    api = build(max_upload_mb=1)
    body = form(('name="file"; filename="a"', b"\0" * (3 * 2**20)))
    answer = api.send(
        "POST",
        "/upload",
        input_stream=io.BytesIO(body),
        content_type=KIND,
        environ_overrides={"wsgi.input_terminated": True},
    )
    refused(answer, 413, "upload_too_large")


def test_handles_expire_after_a_day(api: Any, refused: Any, ports: Ports) -> None:
    upload = api.upload(b"%PDF-1.4")
    ports.clock.sleep(24 * 3600 - 1)
    assert api.paper(pdf_path=upload["path"])["pdf"]
    ports.clock.sleep(1)
    body = {"source_type": "local", "source": "s", "title": "T", "pdf_path": upload["path"]}
    refused(api.post("/papers/import", body), 422, "upload_not_found")
