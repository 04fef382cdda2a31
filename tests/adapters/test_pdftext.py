"""Looking into PDFs, hostile ones included."""

from __future__ import annotations

import csv
import io
import pathlib
import time
import zlib

import pytest
from pypdf import PdfReader, PdfWriter

from runner.adapters.pdftext import PdfText
from runner.domain.errors import Invalid

TEXT = "BT /F1 9 Tf 40 800 Td (" + "Invented words for a test. " * 10 + ") Tj ET"


def pdf(content: bytes = TEXT.encode(), pages: int = 1, compressed: bool = False, to_unicode: bytes = b"") -> bytes:
    """A PDF 1.4 whose pages all show `content`; `to_unicode` maps its characters to others."""
    more = b" /Filter /FlateDecode" if compressed else b""
    stream = zlib.compress(content) if compressed else content
    kids = b" ".join(b"%d 0 R" % (5 + number) for number in range(pages))
    mapped = b" /ToUnicode 4 0 R" if to_unicode else b""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
        b"<< /Length %d%s >>\nstream\n%s\nendstream" % (len(stream), more, stream),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(to_unicode), to_unicode),
    ]
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica%s >>" % mapped
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R /Resources << /Font << /F1 %s >> >> >>"
    )
    objects += [page % font] * pages
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, 2)
    offsets = []
    for number, each in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, each))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % offset for offset in offsets))
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()


def encrypted(password: str, method: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf())))
    writer.encrypt(user_password=password, owner_password="owner", algorithm=method)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


@pytest.fixture
def look(tmp_path: pathlib.Path):  # type: ignore[no-untyped-def]
    def at(data: bytes, time_limit_s: float = 30):  # type: ignore[no-untyped-def]
        path = tmp_path / "paper.pdf"
        path.write_bytes(data)
        return PdfText(time_limit_s).inspect(path)

    return at


def test_shared_cases(shared_data: pathlib.Path) -> None:
    folder = shared_data / "cases/pdf"
    rows = (folder / "expected.tsv").read_text(encoding="utf-8").splitlines()
    for name, code, status in list(csv.reader(rows, delimiter="\t"))[1:]:
        if status.startswith("201"):
            assert PdfText().inspect(folder / name).letters < 100
        else:
            with pytest.raises(Invalid) as caught:
                PdfText().inspect(folder / name)
            assert caught.value.code == code


def test_letters_of_the_first_three_pages_count(look) -> None:  # type: ignore[no-untyped-def]
    one, five = look(pdf()), look(pdf(pages=5))
    assert (one.pages, five.pages) == (1, 5)
    assert five.letters == 3 * one.letters == 3 * sum(letter.isalpha() for letter in TEXT.split("(")[1].split(")")[0])
    assert one.garbled == 0


@pytest.mark.parametrize("tail", [b"\r\n--\r\n----\n", b"\0" * 100])
def test_bytes_after_the_end_do_no_harm(look, tail: bytes) -> None:  # type: ignore[no-untyped-def]
    assert look(pdf() + tail).pages == 1


@pytest.mark.parametrize("kept", [9, 100, 400, -200, -50, -8])
def test_a_cut_file_is_damaged(look, kept: int) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Invalid) as caught:
        look(pdf()[:kept])
    assert caught.value.code == "pdf_damaged"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"/Pages 2 0 R", b"/Pages 9 0 R"),
        (b"/Kids [5 0 R]", b"/Kids [2 0 R]"),
        (b"/Kids [5 0 R]", b"/Kids []     "),
        (b"/Type /Page /Parent", b"/Type /None /Parent"),
    ],
)
def test_a_file_without_a_page_tree_is_damaged(look, old: bytes, new: bytes) -> None:  # type: ignore[no-untyped-def]
    data = pdf()
    assert old in data
    with pytest.raises(Invalid) as caught:
        look(data.replace(old, new))
    assert caught.value.code == "pdf_damaged"


@pytest.mark.parametrize("method", ["RC4-128", "AES-128", "AES-256"])
def test_the_empty_password_opens_and_another_does_not(look, method: str) -> None:  # type: ignore[no-untyped-def]
    assert look(encrypted("", method)).letters > 100
    with pytest.raises(Invalid) as caught:
        look(encrypted("secret", method))
    assert caught.value.code == "pdf_encrypted"


def test_text_without_meaning_is_garbled(look) -> None:  # type: ignore[no-untyped-def]
    mapping = (
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
        b"1 beginbfrange <20> <7e> <e000> endbfrange endcmap end"
    )
    assert look(pdf(to_unicode=mapping)).garbled > 0.9


def test_a_bomb_is_stopped_and_its_pages_still_count(look) -> None:  # type: ignore[no-untyped-def]
    bomb = pdf(b" " * (300 * 2**20) + TEXT.encode(), compressed=True)
    assert len(bomb) < 2**20
    assert look(bomb).pages == 1


def test_a_text_that_takes_too_long_is_given_up(look) -> None:  # type: ignore[no-untyped-def]
    slow = pdf(b"BT /F1 9 Tf " + b"(x) Tj 1 0 0 1 0 0 Tm " * 3_000_000 + b"ET", compressed=True)
    began = time.monotonic()
    facts = look(slow, time_limit_s=3)
    assert time.monotonic() - began < 10
    assert facts.pages == 1
