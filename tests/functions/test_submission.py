"""POST /papers/{paper_id}/submission and GET /papers/{paper_id}/submissions."""

from __future__ import annotations

import hashlib
import io
import re
import tarfile
from typing import Any

import pytest

from runner.ports import Ports


def archive(**files: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


SCRIPT = {"reproduce.sh": "#!/bin/sh\n", "src.py": "print(1)\n"}


@pytest.fixture
def paper(api: Any) -> str:
    return f"/papers/{api.paper()['paper_id']}/submission"


def test_the_archive_is_kept_byte_for_byte(api: Any, ports: Ports, paper: str) -> None:
    data = archive(**SCRIPT)
    answer = api.form(paper, data, "s.tar.gz")
    assert answer.status_code == 201
    made = answer.get_json()
    assert set(made) == {"submission_id", "sha256", "size_bytes", "files", "files_total", "warnings"}
    assert re.fullmatch("sub_[0-9A-HJKMNP-TV-Z]{26}", made["submission_id"])
    assert (made["sha256"], made["size_bytes"]) == (hashlib.sha256(data).hexdigest(), len(data))
    assert {file["path"]: file["sha256"] for file in made["files"]} == {
        name: hashlib.sha256(text.encode()).hexdigest() for name, text in SCRIPT.items()
    }
    assert (made["files_total"], made["warnings"]) == (2, [])
    stored = ports.submissions.get(made["submission_id"])
    assert stored.has_script
    with ports.objects.open(stored.file.key) as file:
        assert file.read() == data


def test_the_same_bytes_are_the_same_submission_also_by_handle(api: Any, ports: Ports, paper: str) -> None:
    data = archive(**SCRIPT)
    first = api.post(paper, {"path": api.upload(data)["path"]})
    second = api.form(paper, data)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.get_json() == second.get_json()
    assert len(list(ports.objects.keys("submissions/"))) == 1
    assert list(ports.scratch.iterdir()) == []


def test_another_paper_gets_a_submission_of_its_own(api: Any, paper: str) -> None:
    api.paper("other")
    data = archive(**SCRIPT)
    first, second = api.form(paper, data).get_json(), api.form("/papers/other/submission", data).get_json()
    assert first["submission_id"] != second["submission_id"]


def test_without_a_script_there_is_a_warning(api: Any, ports: Ports, paper: str) -> None:
    made = api.form(paper, archive(**{"main.py": "x"})).get_json()
    assert [warning["code"] for warning in made["warnings"]] == ["no_reproduce_sh"]
    assert not ports.submissions.get(made["submission_id"]).has_script


def test_what_is_no_archive_is_refused_and_nothing_is_kept(api: Any, refused: Any, ports: Ports, paper: str) -> None:
    refused(api.form(paper, b"hello"), 422, "submission_bad_archive")
    refused(api.form(paper, archive()), 422, "submission_empty")
    assert list(ports.objects.keys("submissions/")) == []
    assert api.get(f"{paper}s").get_json()["submissions"] == []


def test_too_large_is_413(build: Any, refused: Any, ports: Ports) -> None:
    api = build(max_upload_mb=1)
    api.paper()
    refused(api.form("/papers/p/submission", b"x" * (2**20 + 1)), 413, "upload_too_large")
    assert list(ports.scratch.iterdir()) == []


@pytest.mark.parametrize("body", [{}, {"path": 1}, {"path": "upload:x", "more": 1}])
def test_the_json_form_has_one_field(api: Any, refused: Any, paper: str, body: Any) -> None:
    refused(api.post(paper, body), 422, "validation_failed")


def test_a_submission_needs_its_paper(api: Any, refused: Any) -> None:
    refused(api.form("/papers/none/submission", archive(**SCRIPT)), 404, "paper_not_found")
    refused(api.get("/papers/none/submissions"), 404, "paper_not_found")


def test_the_list_is_newest_first_with_pages(api: Any, ports: Ports, paper: str) -> None:
    made = []
    for number in range(3):
        made.append(api.form(paper, archive(**SCRIPT, n=str(number))).get_json()["submission_id"])
        ports.clock.sleep(1)
    page = api.get(f"{paper}s", limit=2).get_json()
    rest = api.get(f"{paper}s", limit=2, cursor=page["next_cursor"]).get_json()
    listed = page["submissions"] + rest["submissions"]
    assert [each["submission_id"] for each in listed] == made[::-1]
    assert set(listed[0]) == {"submission_id", "sha256", "size_bytes", "files_total", "origin", "created_at"}
    assert listed[0]["origin"] == "given"
    assert rest["next_cursor"] is None
