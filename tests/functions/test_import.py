"""POST /papers/import."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import threading
from typing import Any

import pytest

from runner.ports import PdfFacts, Ports

ENTRY = [
    "paper_id",
    "title",
    "authors",
    "venue",
    "year",
    "source_type",
    "source",
    "artifact_url",
    "license",
    "license_source",
    "spdx",
    "license_assessment",
    "imported_at",
    "updated_at",
    "version",
    "registry_dir",
    "pdf",
    "ad_pdf",
    "ae_pdf",
    "owner",
    "slug",
    "repository_id",
    "withdrawn",
    "summary",
    "visibility",
]
PDF = b"%PDF-1.4 a"


def test_an_import_answers_the_whole_entry(api: Any) -> None:
    body = {
        "source_type": "local",
        "source": "notes/paper.pdf",
        "title": "  A   title\n over lines ",
        "license": "CC BY 4.0",
        "authors": ["Alice", "山田 花子"],
        "venue": "SC 26",
        "year": 2024,
        "artifact_url": "https://example.org/a",
        "paper_id": "full",
    }
    answer = api.post("/papers/import", body)
    assert answer.status_code == 201
    entry = answer.get_json()
    assert set(entry) == {*ENTRY, "warnings"}
    assert entry["title"] == "A title over lines"
    assert (entry["license"], entry["spdx"], entry["license_source"]) == ("cc by 4.0", "CC-BY-4.0", "given")
    assert (entry["version"], entry["pdf"], entry["withdrawn"]) == (1, None, False)
    assert (entry["owner"], entry["slug"]) == ("local", "full")
    assert entry["registry_dir"] == "objects://papers/full/"
    assert re.fullmatch("repo_[0-9A-HJKMNP-TV-Z]{26}", entry["repository_id"])
    assert entry.pop("warnings") == []
    assert api.get("/papers/full").get_json() == entry


def test_without_a_licence_it_is_unknown_and_not_a_guess(api: Any) -> None:
    entry = api.paper()
    assert (entry["license"], entry["spdx"], entry["license_source"]) == ("unknown", None, None)
    assert entry["license_assessment"]["usable"] is False


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"title": "  "}, "title"),
        ({"title": 5}, "title"),
        ({"title": "x" * 1001}, "title"),
        ({"source": " "}, "source"),
        ({"source": "x" * 2049}, "source"),
        ({"authors": "Alice"}, "authors"),
        ({"authors": ["A", " "]}, "authors"),
        ({"authors": ["A"] * 5001}, "authors"),
        ({"year": "2024"}, "year"),
        ({"year": 2028}, "year"),
        ({"year": 1499}, "year"),
        ({"year": 2024.5}, "year"),
        ({"artifact_url": "javascript:alert(1)"}, "artifact_url"),
        ({"artifact_url": "file:///etc/passwd"}, "artifact_url"),
        ({"artifact_url": "https://"}, "artifact_url"),
        ({"artifact_url": "https://a b"}, "artifact_url"),
        ({"artifact_url": "https://[x"}, "artifact_url"),
        ({"overwrite": "false"}, "overwrite"),
        ({"fetch": 1}, "fetch"),
        ({"license": 3}, "license"),
        ({"license": "x" * 2001}, "license"),
        ({"venue": ["x"]}, "venue"),
        ({"venue": "x" * 501}, "venue"),
        ({"summary": "x" * 8001}, "summary"),
        ({"visibility": "secret"}, "visibility"),
        ({"owner": "Upper"}, "owner"),
        ({"slug": "-x"}, "slug"),
        ({"registry_dir": "/x"}, "registry_dir"),
        ({"pdf_path": ""}, "pdf_path"),
    ],
)
def test_wrong_values_are_refused_and_nothing_is_stored(
    api: Any, refused: Any, change: dict[str, Any], field: str
) -> None:
    body = {"source_type": "local", "source": "s", "title": "T", "paper_id": "p"} | change
    details = refused(api.post("/papers/import", body), 422, "validation_failed")["details"]
    assert [fault["field"].partition("[")[0] for fault in details] == [field]
    refused(api.get("/papers/p"), 404)


@pytest.mark.parametrize("paper_id", ["..", ".", ".hidden", "a/b", "a\\b", "x" * 65, "", "a b", "é", "a\n", "%2e"])
def test_unsafe_ids_are_refused_and_not_rewritten(api: Any, refused: Any, paper_id: str) -> None:
    body = {"source_type": "local", "source": "s", "title": "T", "paper_id": paper_id}
    assert refused(api.post("/papers/import", body), 422)["details"][0]["field"] == "paper_id"


def test_next_year_is_the_last_year(api: Any) -> None:
    assert api.paper(year=2027)["year"] == 2027


def test_default_ids_come_from_the_canonical_source(api: Any) -> None:
    def made(**body: Any) -> dict[str, Any]:
        return dict(api.post("/papers/import", {"title": "T", "fetch": False} | body).get_json())

    arxiv = made(source_type="arxiv", source="arXiv: hep-th/9901001v2")
    assert (arxiv["paper_id"], arxiv["source"]) == ("hep-th__9901001v2", "hep-th/9901001v2")
    doi = made(source_type="doi", source="https://doi.org/10.1000/Synth.1")
    digest = hashlib.sha256(b"10.1000/synth.1").hexdigest()[:8]
    assert (doi["paper_id"], doi["source"]) == (f"10.1000-synth.1-{digest}", "10.1000/synth.1")


def test_malformed_catalogue_ids_are_refused_before_anything_else(api: Any, refused: Any) -> None:
    body = {"source_type": "arxiv", "source": "9901001", "title": "T"}
    answer = refused(api.post("/papers/import", body), 422, "arxiv_invalid_id")
    assert "archive" in answer["error"]
    assert answer["details"][0]["field"] == "source"
    refused(api.post("/papers/import", {"source_type": "doi", "source": "11.1/x", "title": "T"}), 422, "doi_invalid")


def test_fetching_says_that_it_comes_later_and_what_works_now(api: Any, refused: Any) -> None:
    body = {"source_type": "arxiv", "source": "2404.14193", "title": "T"}
    answer = api.post("/papers/import", body)
    told = refused(answer, 503, "arxiv_unavailable")
    assert told["retryable"]
    assert '"fetch": false' in told["error"]
    assert int(answer.headers["Retry-After"]) >= 1
    with_pdf = body | {"pdf_path": api.upload(PDF)["path"]}
    assert api.post("/papers/import", with_pdf).status_code == 201


def test_a_duplicate_is_409_with_the_entry_that_is_there(api: Any, refused: Any) -> None:
    entry = api.paper(venue="Old venue")
    body = {"source_type": "local", "source": "s", "title": "New", "paper_id": "p"}
    told = refused(api.post("/papers/import", body), 409, "paper_exists")
    assert told["paper_id"] == "p"
    assert told["existing"]["title"] == entry["title"]


def test_overwrite_replaces_the_whole_entry(api: Any) -> None:
    entry = api.paper(venue="Old venue", pdf_path=api.upload(PDF)["path"], license="MIT", owner="me", slug="mine")
    body = {"source_type": "local", "source": "s", "title": "New", "paper_id": "p", "overwrite": True}
    answer = api.post("/papers/import", body)
    assert answer.status_code == 200
    new = answer.get_json()
    assert new["repository_id"] == entry["repository_id"]
    assert (new["version"], new["title"], new["venue"], new["pdf"], new["license"]) == (2, "New", None, None, "unknown")
    assert (new["owner"], new["slug"]) == ("local", "p")
    assert api.post("/papers/import", body | {"paper_id": "fresh"}).status_code == 201


def test_overwrite_keeps_a_default_slug_that_had_to_be_numbered(api: Any) -> None:
    api.paper("P")
    assert api.paper("p")["slug"] == "p-2"
    body = {"source_type": "local", "source": "s", "title": "New", "paper_id": "p", "overwrite": True}
    assert api.post("/papers/import", body).get_json()["slug"] == "p-2"


def test_a_taken_slug_is_numbered_by_default_and_refused_when_asked_for(api: Any, refused: Any) -> None:
    assert [api.paper(paper_id)["slug"] for paper_id in ("x", "X", "_x", "-X")] == ["x", "x-2", "x-3", "x-4"]
    body = {"source_type": "local", "source": "s", "title": "T", "paper_id": "other", "slug": "x"}
    refused(api.post("/papers/import", body), 409, "slug_taken")
    refused(api.get("/papers/other"), 404)


def test_twenty_equal_imports_at_once_make_one_paper(api: Any) -> None:
    body = {"source_type": "local", "source": "s", "title": "T", "paper_id": "p"}
    codes: list[int] = []
    callers = [
        threading.Thread(target=lambda: codes.append(type(api)(api.app).post("/papers/import", body).status_code))
        for _ in range(20)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert sorted(codes) == [201] + [409] * 19


def test_pdfs_are_attached_from_uploads_and_the_handle_stays_valid(api: Any) -> None:
    upload = api.upload(PDF)
    entry = api.paper(pdf_path=upload["path"], ad_pdf_path=upload["path"])
    assert entry["pdf"] == entry["ad_pdf"] == {"sha256": upload["sha256"], "size_bytes": len(PDF)}
    assert entry["ae_pdf"] is None
    assert api.paper("q", pdf_path=upload["path"])["pdf"] == entry["pdf"]


def test_unfit_pdfs_are_all_named_and_leave_nothing_behind(api: Any, refused: Any, ports: Ports) -> None:
    body = {
        "source_type": "local",
        "source": "s",
        "title": "T",
        "paper_id": "p",
        "pdf_path": api.upload(b"")["path"],
        "ad_pdf_path": api.upload(b"<html>")["path"],
        "ae_pdf_path": "upload:up_01M8Q64CPTA43S03QV6KFBKTDP",
    }
    told = refused(api.post("/papers/import", body), 422, "pdf_empty")
    assert [(fault["field"], fault["code"]) for fault in told["details"]] == [
        ("pdf_path", "pdf_empty"),
        ("ad_pdf_path", "pdf_not_a_pdf"),
        ("ae_pdf_path", "upload_not_found"),
    ]
    refused(api.get("/papers/p"), 404)
    assert list(ports.objects.keys("papers/")) == []
    assert list(ports.scratch.iterdir()) == []


def test_a_refused_duplicate_leaves_no_bytes_behind(api: Any, ports: Ports) -> None:
    api.paper()
    body = {"source_type": "local", "source": "s", "title": "T", "paper_id": "p", "pdf_path": api.upload(PDF)["path"]}
    assert api.post("/papers/import", body).status_code == 409
    assert list(ports.objects.keys("papers/")) == []


def test_a_pdf_without_text_is_accepted_with_a_warning(api: Any, ports: Ports) -> None:
    ports.pdfs.facts = PdfFacts(3, 99, 0.02)  # type: ignore[attr-defined]
    entry = api.paper(pdf_path=api.upload(PDF)["path"])
    assert [warning["code"] for warning in entry["warnings"]] == ["pdf_no_text_layer", "pdf_text_garbled"]
    assert ports.papers.get("p").pdf_has_text is False
    ports.pdfs.facts = PdfFacts(3, 100, 0.01)  # type: ignore[attr-defined]
    assert api.paper("q", pdf_path=api.upload(PDF)["path"])["warnings"] == []


def test_paths_outside_the_import_folders_are_refused_in_the_same_words(
    build: Any, refused: Any, tmp_path: pathlib.Path
) -> None:
    root = tmp_path / "inbox"
    (root / "folder").mkdir(parents=True)
    (tmp_path / "secret.pdf").write_bytes(PDF)
    (root / "link.pdf").symlink_to(tmp_path / "secret.pdf")
    os.mkfifo(root / "pipe.pdf")
    api = build(import_roots=(root,))
    told = set()
    for path in (
        "/etc/passwd",
        "/etc/no-such-file",
        "/etc",
        "../etc/passwd",
        "~/.bashrc",
        "file:///etc/passwd",
        "/proc/self/environ",
        str(root / "link.pdf"),
        str(root / "pipe.pdf"),
        str(root / "folder"),
        str(root / "none.pdf"),
        str(root / ".." / "secret.pdf"),
        str(root),
        f"{root}-more/x.pdf",
    ):
        body = {"source_type": "local", "source": "s", "title": "T", "paper_id": "p", "pdf_path": path}
        answer = refused(api.post("/papers/import", body), 422, "path_not_allowed")
        assert answer["details"][0]["field"] == "pdf_path"
        assert path not in answer["error"]
        told.add(answer["error"])
    assert len(told) == 1


def test_a_plain_file_in_an_import_folder_may_be_named_also_by_a_link_inside(
    build: Any, tmp_path: pathlib.Path
) -> None:
    root = tmp_path / "inbox"
    root.mkdir()
    (root / "a.pdf").write_bytes(PDF)
    (root / "b.pdf").symlink_to(root / "a.pdf")
    api = build(import_roots=(root,))
    assert api.paper("a", pdf_path=str(root / "a.pdf"))["pdf"]["size_bytes"] == len(PDF)
    assert api.paper("b", pdf_path=str(root / "b.pdf"))["pdf"]["size_bytes"] == len(PDF)


def test_a_file_over_the_limit_is_413(build: Any, refused: Any, tmp_path: pathlib.Path) -> None:
    (tmp_path / "big.pdf").write_bytes(PDF + b"x" * 2**20)
    api = build(import_roots=(tmp_path,), max_upload_mb=1)
    body = {"source_type": "local", "source": "s", "title": "T", "pdf_path": str(tmp_path / "big.pdf")}
    refused(api.post("/papers/import", body), 413, "upload_too_large")
