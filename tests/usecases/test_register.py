"""Registering papers, below HTTP."""

from __future__ import annotations

import io
import pathlib
from dataclasses import replace

import pytest

from runner.adapters.memory.ports import memory_ports
from runner.domain.errors import Conflict, Invalid, Unavailable
from runner.domain.papers import Paper
from runner.ports import Ports
from runner.usecases import papers, uploads
from runner.usecases.given_files import HANDLE, Intake
from runner.usecases.register import Draft, Registered, register

PDF = b"%PDF-1.4 x"
DRAFT = Draft(source_type="local", source=" notes/a.pdf ", title="T")


@pytest.fixture
def ports(tmp_path: pathlib.Path) -> Ports:
    return memory_ports(tmp_path / "scratch")


def put(ports: Ports, draft: Draft = DRAFT, overwrite: bool = False) -> Registered:
    return register(ports, draft=draft, overwrite=overwrite, intake=Intake((), 2**20), actor="someone")


def handle(ports: Ports, data: bytes = PDF) -> str:
    return HANDLE + uploads.receive(ports, filename="a.pdf", data=io.BytesIO(data)).upload_id


def test_defaults_are_filled_in(ports: Ports) -> None:
    paper = put(ports).paper
    assert (paper.paper_id, paper.source, paper.owner, paper.slug) == ("a.pdf", "notes/a.pdf", "local", "a.pdf")
    assert (paper.license, paper.license_source) == ("unknown", None)


@pytest.mark.parametrize(
    ("draft", "wanted"),
    [
        (Draft("arxiv", "2404.14193", "T"), True),
        (Draft("doi", "10.1000/x", "T", fetch=True), True),
        (Draft("arxiv", "2404.14193", "T", fetch=False), False),
        (Draft("arxiv", "2404.14193", "T", files={"pdf_path": "upload:x"}), False),
        (Draft("arxiv", "2404.14193", "T", files={"pdf_path": "upload:x"}, fetch=True), True),
        (Draft("local", "x", "T"), False),
        (Draft("upload", "x", "T", fetch=True), False),
    ],
)
def test_when_a_catalogue_is_asked(draft: Draft, wanted: bool) -> None:
    assert draft.wants_fetch is wanted


def test_overwriting_replaces_and_a_new_id_is_new(ports: Ports) -> None:
    first = put(ports, overwrite=True)
    second = put(ports, replace(DRAFT, title="U"), overwrite=True)
    assert (first.is_new, second.is_new) == (True, False)
    assert second.paper.repository_id == first.paper.repository_id
    assert (second.paper.version, second.paper.title) == (2, "U")


def test_a_given_slug_that_is_taken_is_refused_also_while_overwriting(ports: Ports) -> None:
    put(ports)
    put(ports, replace(DRAFT, paper_id="b"))
    with pytest.raises(Conflict) as caught:
        put(ports, replace(DRAFT, paper_id="b", slug="a.pdf"), overwrite=True)
    assert caught.value.code == "slug_taken"
    assert ports.papers.get("b").version == 1


def test_stored_pdfs_are_taken_back_when_the_row_cannot_be_written(ports: Ports) -> None:
    class Broken:
        def add(self, paper: Paper, audit: object) -> Paper:
            raise Unavailable("The database does not answer.", "storage_unavailable")

    draft = replace(DRAFT, files={"pdf_path": handle(ports)})
    with pytest.raises(Unavailable):
        put(replace(ports, papers=Broken()), draft)  # type: ignore[arg-type]
    assert list(ports.objects.keys("papers/")) == []
    assert list(ports.scratch.iterdir()) == []


def test_a_changed_pdf_gets_a_new_key_and_runs_keep_the_old_bytes(ports: Ports) -> None:
    put(ports, replace(DRAFT, files={"pdf_path": handle(ports)}))
    old = ports.papers.get("a.pdf").pdf
    asked = papers.Change({}, {"pdf_path": handle(ports, PDF + b"2")})
    new = papers.change(ports, paper_id="a.pdf", asked=asked, intake=Intake((), 2**20), actor=None).pdf
    assert old
    assert new
    assert old.key != new.key
    with ports.objects.open(old.key) as kept:
        assert kept.read() == PDF


def test_a_refused_change_stores_no_pdf(ports: Ports) -> None:
    put(ports)
    asked = papers.Change({}, {"pdf_path": handle(ports)}, version=7)
    with pytest.raises(Conflict):
        papers.change(ports, paper_id="a.pdf", asked=asked, intake=Intake((), 2**20), actor=None)
    assert list(ports.objects.keys("papers/")) == []


def test_an_upload_whose_bytes_are_gone_is_an_unknown_upload(ports: Ports) -> None:
    given = handle(ports)
    ports.objects.delete(f"uploads/{given.removeprefix(HANDLE)}")
    with pytest.raises(Invalid) as caught:
        put(ports, replace(DRAFT, files={"pdf_path": given}))
    assert caught.value.code == "upload_not_found"


def test_a_private_paper_is_unknown_to_those_who_may_not_see_it(ports: Ports) -> None:
    put(ports, replace(DRAFT, visibility="private"))
    assert papers.get(ports, paper_id="a.pdf").title == "T"
    with pytest.raises(Exception, match="no such paper"):
        papers.get(ports, paper_id="a.pdf", with_private=False)
    assert papers.page(ports, with_private=False).items == ()
