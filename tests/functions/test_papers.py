"""Reading, changing, listing and deleting papers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from runner.domain.access import AuditRow
from runner.domain.papers import RubricVersion
from runner.domain.run import Run
from runner.ports import Ports

PDF = b"%PDF-1.4 a"


def test_an_entry_has_its_version_as_etag(api: Any) -> None:
    api.paper()
    assert api.get("/papers/p").headers["ETag"] == '"1"'
    for tag in ('"1"', 'W/"1"', '"0", "1"', "*"):
        assert api.get("/papers/p", {"If-None-Match": tag}).status_code == 304
    api.post("/papers/p/metadata", {"venue": "V"})
    assert api.get("/papers/p", {"If-None-Match": '"1"'}).status_code == 200


@pytest.mark.parametrize("paper_id", ["none", ".hidden", "a b", "x" * 70, "\x00"])
def test_an_unknown_or_impossible_id_is_404(api: Any, refused: Any, paper_id: str) -> None:
    refused(api.get(f"/papers/{paper_id}"), 404, "paper_not_found")
    refused(api.get(f"/papers/{paper_id}/license"), 404, "paper_not_found")
    refused(api.post(f"/papers/{paper_id}/metadata", {"venue": "x"}), 404, "paper_not_found")


def test_a_patch_classifies_again_and_counts_versions(api: Any) -> None:
    before = api.paper(license="CC BY-NC 4.0")
    entry = api.post("/papers/p/metadata", {"license": " MIT ", "year": 2020, "paper_id": "p"}).get_json()
    assert (entry["license"], entry["spdx"], entry["license_source"]) == ("mit", "MIT", "given")
    assert entry["license_assessment"] == api.get("/papers/p/license").get_json()
    assert (entry["year"], entry["title"], entry["version"]) == (2020, before["title"], 2)
    assert entry["imported_at"] == before["imported_at"]


def test_null_empties_what_may_be_empty(api: Any, refused: Any) -> None:
    api.paper(venue="V", year=2020, artifact_url="https://example.org", pdf_path=api.upload(PDF)["path"])
    nothing = dict.fromkeys(("venue", "year", "artifact_url", "pdf_path"))
    entry = api.post("/papers/p/metadata", nothing).get_json()
    assert [entry[field] for field in ("venue", "year", "artifact_url", "pdf")] == [None] * 4
    for field in ("title", "license", "authors", "summary", "visibility", "owner", "slug", "version", "paper_id"):
        told = refused(api.post("/papers/p/metadata", {field: None}), 422, "validation_failed")
        assert told["details"][0]["field"] == field


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("registry_dir", "/etc"),
        ("license_assessment", {"usable": True}),
        ("imported_at", "2020-01-01T00:00:00Z"),
        ("paper_id", "other"),
        ("spdx", "MIT"),
        ("nonsense", 1),
        ("year", "x"),
        ("authors", "Alice"),
        ("title", ""),
        ("fetch", False),
        ("source", "x"),
    ],
)
def test_a_patch_with_one_wrong_field_changes_nothing(api: Any, refused: Any, field: str, value: Any) -> None:
    before = api.paper()
    details = refused(api.post("/papers/p/metadata", {"venue": "changed", field: value}), 422)["details"]
    assert [fault["field"] for fault in details] == [field]
    before.pop("warnings")
    assert api.get("/papers/p").get_json() == before


def test_an_empty_patch_is_no_change(api: Any) -> None:
    api.paper()
    assert api.post("/papers/p/metadata", {}).get_json()["version"] == 1


def test_version_is_an_optimistic_lock(api: Any, refused: Any) -> None:
    api.paper()
    assert api.post("/papers/p/metadata", {"venue": "one", "version": 1}).status_code == 200
    told = refused(api.post("/papers/p/metadata", {"venue": "two", "version": 1}), 409, "version_conflict")
    assert told["version"] == 2
    assert api.get("/papers/p").get_json()["venue"] == "one"


def test_patches_of_different_fields_at_once_are_both_kept(api: Any) -> None:
    api.paper()
    fields = {"venue": "V", "year": 2001, "summary": "S", "title": "T2", "artifact_url": "https://example.org/"}
    callers = [
        threading.Thread(target=type(api)(api.app).post, args=("/papers/p/metadata", {name: value}))
        for name, value in fields.items()
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    entry = api.get("/papers/p").get_json()
    assert {name: entry[name] for name in fields} == fields
    assert entry["version"] == 6


def test_a_slug_of_another_paper_cannot_be_taken(api: Any, refused: Any) -> None:
    api.paper("a")
    api.paper("b")
    refused(api.post("/papers/b/metadata", {"slug": "a"}), 409, "slug_taken")
    assert api.post("/papers/b/metadata", {"slug": "a", "owner": "someone"}).status_code == 200


def test_deleting_is_idempotent_and_local_to_one_paper(api: Any, refused: Any, ports: Ports) -> None:
    first = api.paper("a", pdf_path=api.upload(PDF)["path"])
    api.paper("b", pdf_path=api.upload(PDF)["path"])
    assert api.send("POST", "/papers/a/delete").get_json() == {"deleted": True, "paper_id": "a"}
    gone = {"deleted": False, "paper_id": "a", "reason": "not_found"}
    assert api.post("/papers/a/delete", {}).get_json() == gone
    assert api.post("/papers/.x/delete", {}).get_json() == gone | {"paper_id": ".x"}
    refused(api.get("/papers/a"), 404, "paper_not_found")
    assert [key.split("/")[1] for key in ports.objects.keys("papers/")] == ["b"]
    again = api.paper("a")
    assert again["version"] == 1
    assert again["repository_id"] != first["repository_id"]


@pytest.fixture
def active_run(api: Any, ports: Ports) -> Callable[[], str]:
    """A queued run of the paper `p`."""

    def made() -> str:
        entry = api.paper()
        now = ports.clock.now()
        audit = AuditRow(now, None, "test", "p")
        tree: dict[str, Any] = {"id": "root", "sub_tasks": []}
        rubric = RubricVersion(
            "rub_01M8Q64CPTA43S03QV6KFBKTDP", entry["repository_id"], 0, "0" * 64, 1, {}, "given", tree, {}, {}, now
        )
        ports.rubrics.add(rubric, None, audit)
        run = Run(
            run_id="run_01M8Q64CPTA43S03QV6KFBKTDP",
            paper_id="p",
            repository_id=entry["repository_id"],
            paper=entry,
            rubric_id=rubric.rubric_id,
            submission_id=None,
            configs={},
            skipped=("rubric", "rollout"),
            code_only=False,
            created_at=now,
        )
        ports.runs.add([run], [audit], None)
        return run.run_id

    return made


def test_a_paper_with_active_runs_is_kept(api: Any, refused: Any, active_run: Callable[[], str]) -> None:
    job_id = active_run()
    told = refused(api.post("/papers/p/delete", {}), 409, "paper_has_active_runs")
    assert told["job_ids"] == [job_id]
    assert api.get("/papers/p").status_code == 200


def test_force_cancels_the_runs_first(api: Any, ports: Ports, active_run: Callable[[], str]) -> None:
    job_id = active_run()
    assert api.post("/papers/p/delete", {"force": True}).get_json()["deleted"] is True
    assert ports.runs.get(job_id).status == "cancelled"


def test_force_gives_up_when_a_run_does_not_stop(
    api: Any, refused: Any, ports: Ports, active_run: Callable[[], str]
) -> None:
    job_id = active_run()
    ports.runs.claim(job_id, "reproduce", 1, "wk_1", ports.clock.now())
    told = refused(api.post("/papers/p/delete", {"force": True}), 409, "paper_has_active_runs")
    assert told["job_ids"] == [job_id]
    assert ports.runs.cancel_requested(job_id)


def test_the_pdf_is_behind_a_signed_address(api: Any, refused: Any) -> None:
    api.paper("none")
    refused(api.get("/papers/none/pdf"), 404, "pdf_not_found")
    api.paper(pdf_path=api.upload(PDF)["path"])
    answer = api.get("/papers/p/pdf")
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("http://127.0.0.1:8321/")
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_list_has_pages_that_nobody_disturbs(api: Any, ports: Ports) -> None:
    for number in range(7):
        api.paper(f"p{number}", title=f"zq {number}")
        ports.clock.sleep(1)
    seen, cursor = [], None
    while True:
        page = api.get("/papers", q="ZQ", limit=3, sort="imported_at", **({"cursor": cursor} if cursor else {}))
        seen += [entry["paper_id"] for entry in page.get_json()["papers"]]
        if len(seen) == 3:
            api.paper("late", title="zq late")
        cursor = page.get_json()["next_cursor"]
        if cursor is None:
            break
    assert seen[:7] == [f"p{number}" for number in range(7)]
    assert len(seen) == len(set(seen))


def test_without_a_limit_everything_comes_newest_first(api: Any, ports: Ports) -> None:
    for number in range(120):
        api.paper(f"p{number:03}")
        ports.clock.sleep(timedelta(seconds=1).total_seconds())
    answer = api.get("/papers").get_json()
    assert [entry["paper_id"] for entry in answer["papers"]] == [f"p{number:03}" for number in reversed(range(120))]
    assert answer["next_cursor"] is None


@pytest.mark.parametrize(
    "query",
    [
        {"limit": "0"},
        {"limit": "101"},
        {"limit": "x"},
        {"limit": "1_0"},
        {"sort": "colour"},
        {"cursor": "bm90LW1pbmU"},
        {"cursor": ""},
        {"cursor": "' OR 1=1 --"},
        {"cursor": "é" * 50},
        {"usable": "maybe"},
        {"scope": "free"},
        {"source_type": "web,doi"},
        {"q": "a\0"},
    ],
)
def test_bad_list_parameters_are_refused(api: Any, refused: Any, query: dict[str, str]) -> None:
    details = refused(api.get("/papers", **query), 422)["details"]
    assert details[0]["field"].partition("[")[0] == next(iter(query))


def test_a_cursor_serves_its_own_list_only(api: Any, refused: Any) -> None:
    for number in range(3):
        api.paper(f"p{number}")
    cursor = api.get("/papers", limit=1).get_json()["next_cursor"]
    assert api.get("/papers", limit=2, cursor=cursor).status_code == 200
    refused(api.get("/papers", limit=1, cursor=cursor, q="x"), 422, "cursor_invalid")
    refused(api.get("/papers", limit=1, cursor=cursor, sort="title"), 422, "cursor_invalid")
    refused(api.get("/papers/p0/submissions", limit=1, cursor=cursor), 422, "cursor_invalid")
    for place in range(len(cursor)):
        other = cursor[:place] + ("A" if cursor[place] != "A" else "B") + cursor[place + 1 :]
        refused(api.get("/papers", limit=1, cursor=other), 422, "cursor_invalid")


def test_filters(api: Any) -> None:
    api.paper("a", license="MIT")
    api.paper("b", license="CC BY-NC 4.0", source_type="upload")

    def ids(**query: str) -> set[str]:
        return {entry["paper_id"] for entry in api.get("/papers", **query).get_json()["papers"]}

    assert ids(usable="true") == ids(scope="attribution") == ids(source_type="local") == {"a"}
    assert ids(usable="false") == ids(source_type="upload,doi") == {"b"}
    assert ids(scope="attribution,non_commercial") == ids(unknown="x") == {"a", "b"}
