"""GET /objects/...: signed addresses."""

from __future__ import annotations

import io
from typing import Any
from urllib.parse import urlsplit

import pytest

from runner.ports import Ports

DATA = bytes(range(256)) * 300


@pytest.fixture
def link(ports: Ports) -> Any:
    def make(
        key: str = "runs/run_x/再 現+%.csv", filename: str = "out.csv", content_type: str = "text/csv", **more: Any
    ) -> str:
        ports.objects.put(key, io.BytesIO(DATA))
        address = urlsplit(ports.objects.url(key, filename=filename, content_type=content_type, **more))
        return f"{address.path}?{address.query}"

    return make


def test_the_bytes_come_with_type_name_and_no_sniffing(api: Any, link: Any) -> None:
    answer = api.get(link())
    assert answer.status_code == 200
    assert answer.data == DATA
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8" or answer.headers["Content-Type"] == "text/csv"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="out.csv"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Length"] == str(len(DATA))
    assert answer.headers["Accept-Ranges"] == "bytes"


def test_head_has_the_length_and_no_bytes(api: Any, link: Any) -> None:
    answer = api.send("HEAD", link())
    assert (answer.status_code, answer.data) == (200, b"")
    assert answer.headers["Content-Length"] == str(len(DATA))


@pytest.mark.parametrize(
    ("asked", "first", "last"), [("bytes=0-9", 0, 9), ("bytes=70000-", 70000, 76799), ("bytes=-5", 76795, 76799)]
)
def test_a_range_is_served(api: Any, link: Any, asked: str, first: int, last: int) -> None:
    answer = api.get(link(), {"Range": asked})
    assert answer.status_code == 206
    assert answer.data == DATA[first : last + 1]
    assert answer.headers["Content-Range"] == f"bytes {first}-{last}/{len(DATA)}"


@pytest.mark.parametrize("asked", ["bytes=99999-", "bytes=76800-76801"])
def test_a_range_beyond_the_end_is_416_and_says_where_that_is(api: Any, refused: Any, link: Any, asked: str) -> None:
    answer = api.get(link(), {"Range": asked})
    assert refused(answer, 416, "range_not_satisfiable")["error"] == "The file ends before this range begins."
    assert answer.headers["Content-Range"] == f"bytes */{len(DATA)}"


@pytest.mark.parametrize(
    "asked", ["pages=1-2", "bytes", "bytes=", "bytes=a-b", "bytes=9-5", "bytes=0-1,5-6", "bytes=-0", "bytes=-", "x"]
)
def test_a_range_that_means_nothing_here_is_ignored(api: Any, link: Any, asked: str) -> None:
    answer = api.get(link(), {"Range": asked})
    assert (answer.status_code, answer.data) == (200, DATA)


def test_head_has_no_ranges(api: Any, link: Any) -> None:
    answer = api.send("HEAD", link(), {"Range": "bytes=0-9"})
    assert (answer.status_code, answer.headers["Content-Length"]) == (200, str(len(DATA)))


def test_no_key_host_or_origin_is_asked_for(api: Any, link: Any) -> None:
    headers = {"Authorization": "Bearer none", "Host": "elsewhere.example", "Origin": "https://evil.example"}
    assert api.get(link(), headers).data == DATA


def test_a_change_in_any_character_is_403(api: Any, refused: Any, link: Any) -> None:
    address = link(key="a/b", filename="n")
    for place in range(len("/objects/"), len(address)):
        other = "0" if address[place] != "0" else "1"
        answer = api.get(address[:place] + other + address[place + 1 :])
        if answer.status_code != 404:
            refused(answer, 403, "bad_signature")
    for bad in (address + "0", address + "&x=1", address.replace("/b", "/%62"), address[:-1], address.split("?")[0]):
        refused(api.get(bad), 403, "bad_signature")


def test_an_old_address_is_403(api: Any, refused: Any, link: Any, ports: Ports) -> None:
    address = link()
    ports.clock.sleep(3600)
    refused(api.get(address), 403, "url_expired")


def test_a_file_that_has_gone_is_404(api: Any, refused: Any, link: Any, ports: Ports) -> None:
    address = link(key="a/b")
    ports.objects.delete("a/b")
    refused(api.get(address), 404, "object_not_found")


@pytest.mark.parametrize(
    ("kind", "inline", "shown"),
    [
        ("application/pdf", True, "inline"),
        ("application/pdf", False, "attachment"),
        ("text/html; charset=utf-8", True, "attachment"),
        ("image/svg+xml", True, "attachment"),
        ("application/xhtml+xml", True, "attachment"),
        ("text/xml", True, "attachment"),
    ],
)
def test_what_a_browser_would_run_is_never_inline(api: Any, link: Any, kind: str, inline: bool, shown: str) -> None:
    answer = api.get(link(content_type=kind, inline=inline))
    assert answer.headers["Content-Disposition"].partition(";")[0] == shown
    assert answer.headers["Content-Type"] == kind


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("a b.pdf", 'attachment; filename="a b.pdf"'),
        ('q"u;o\r\nte.pdf', "attachment; filename=\"q_u;ote.pdf\"; filename*=UTF-8''q%22u%3Bote.pdf"),
        ("再現.pdf", "attachment; filename=\"__.pdf\"; filename*=UTF-8''%E5%86%8D%E7%8F%BE.pdf"),
        ("../x\\y", 'attachment; filename="..xy"'),
        ("\x00", 'attachment; filename="file"'),
    ],
)
def test_names_are_safe_in_the_header(api: Any, link: Any, name: str, header: str) -> None:
    assert api.get(link(filename=name)).headers["Content-Disposition"] == header


def test_the_papers_pdf_opens_in_the_browser(api: Any) -> None:
    pdf = b"%PDF-1.4 x"
    api.paper(pdf_path=api.upload(pdf)["path"])
    address = urlsplit(api.get("/papers/p/pdf").headers["Location"])
    answer = api.get(f"{address.path}?{address.query}")
    assert answer.data == pdf
    assert answer.headers["Content-Type"] == "application/pdf"
    assert answer.headers["Content-Disposition"] == 'inline; filename="p.pdf"'
