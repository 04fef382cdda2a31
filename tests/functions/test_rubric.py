"""PUT and GET /papers/{paper_id}/rubric."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import pytest


def leaf(name: str, **more: Any) -> dict[str, Any]:
    node = {"id": name, "requirements": f"{name} holds.", "weight": 1, "sub_tasks": []}
    return node | {"task_category": "Result Analysis"} | more


def tree(**more: Any) -> dict[str, Any]:
    return {"id": "root", "requirements": "All.", "weight": 1, "sub_tasks": [leaf("a"), leaf("b")]} | more


@pytest.fixture
def paper(api: Any) -> str:
    return f"/papers/{api.paper()['paper_id']}/rubric"


def test_versions_count_up_with_the_content(api: Any, refused: Any, paper: str) -> None:
    refused(api.get(paper), 404, "rubric_not_found")
    made = api.put(paper, tree())
    assert made.status_code == 201
    first = made.get_json()
    assert re.fullmatch("rub_[0-9A-HJKMNP-TV-Z]{26}", first["rubric_id"])
    assert (first["version"], first["leaves_count"], first["warnings"]) == (1, 2, [])
    assert first["categories"] == {"Code Development": 0, "Code Execution": 0, "Result Analysis": 2}
    shuffled = json.dumps(dict(reversed(list(tree().items()))), indent=3)
    again = api.send("PUT", paper, data=shuffled, content_type="application/json")
    assert (again.status_code, again.get_json()["rubric_id"]) == (200, first["rubric_id"])
    assert "flags_updated" not in again.get_json()
    second = api.put(paper, tree(requirements="Other."))
    assert (second.status_code, second.get_json()["version"]) == (201, 2)
    assert api.get(paper).get_json()["rubric"]["requirements"] == "Other."
    old = api.get(paper, version=1).get_json()
    assert (old["rubric"], old["sha256"], old["origin"]) == (tree(), first["sha256"], "given")
    assert set(old) == {*first, "created_at", "origin", "rubric"} - {"warnings"}


@pytest.mark.parametrize(("version", "status"), [("3", 404), ("x", 422), ("0", 422), ("-1", 422), ("9" * 18, 422)])
def test_only_existing_versions_are_shown(api: Any, refused: Any, paper: str, version: str, status: int) -> None:
    api.put(paper, tree())
    refused(api.get(paper, version=version), status)


def test_flags_stand_beside_the_version(api: Any, paper: str) -> None:
    first = api.put(paper, tree()).get_json()
    flagged = tree()
    flagged["sub_tasks"][1]["flags"] = ["vague_qualifier"]
    answer = api.put(paper, flagged)
    assert (answer.status_code, answer.get_json()["flags_updated"]) == (200, True)
    assert {key: answer.get_json()[key] for key in first} == first
    assert api.get(paper).get_json()["rubric"] == flagged


def test_if_version_must_be_the_newest(api: Any, refused: Any, paper: str) -> None:
    assert api.put(f"{paper}?if_version=0", tree()).status_code == 201
    assert refused(api.put(f"{paper}?if_version=0", tree(id="x")), 409, "version_conflict")["version"] == 1
    assert api.put(f"{paper}?if_version=1", tree(id="x")).status_code == 201
    refused(api.put(f"{paper}?if_version=x", tree()), 422, "validation_failed")


def test_every_fault_is_named_and_nothing_is_stored(api: Any, refused: Any, paper: str) -> None:
    broken = tree()
    broken["sub_tasks"][0]["weight"] = -1
    broken["sub_tasks"][1]["task_category"] = "Cooking"
    told = refused(api.put(paper, broken), 422, "rubric_invalid")
    assert {(fault["field"], fault["code"]) for fault in told["details"]} == {
        ("a", "weight_invalid"),
        ("b", "category_unknown"),
    }
    refused(api.get(paper), 404, "rubric_not_found")


def test_repeated_node_ids_are_only_a_warning(api: Any, paper: str) -> None:
    answer = api.put(paper, tree(sub_tasks=[leaf("a"), leaf("a")]))
    assert answer.status_code == 201
    assert [warning["code"] for warning in answer.get_json()["warnings"]] == ["duplicate_ids"]


@pytest.mark.parametrize("wrap", [lambda rubric: rubric, lambda rubric: {"reprise": 1, "rubric": rubric}])
def test_an_uploaded_rubric_is_taken_by_its_handle(api: Any, paper: str, wrap: Any) -> None:
    handle = api.upload(json.dumps(wrap(tree())).encode(), "rubric.json")["path"]
    assert api.put(paper, {"path": handle}).status_code == 201
    assert api.get(paper).get_json()["rubric"] == tree()


def test_a_bad_handle_is_refused(api: Any, refused: Any, paper: str) -> None:
    told = refused(api.put(paper, {"path": "upload:up_01M8Q64CPTA43S03QV6KFBKTDP"}), 422, "upload_not_found")
    assert told["details"][0]["field"] == "path"
    refused(api.put(paper, {"path": "/etc/passwd"}), 422, "path_not_allowed")
    refused(api.put(paper, {"path": api.upload(b"not json")["path"]}), 400, "bad_json")


def test_a_rubric_made_for_another_pdf_is_a_warning(api: Any) -> None:
    upload = api.upload(b"%PDF-1.4")
    api.paper(pdf_path=upload["path"])

    def warnings(sha256: str) -> list[str]:
        answer = api.put("/papers/p/rubric", {"reprise": 1, "paper_sha256": sha256, "rubric": tree()})
        return [warning["code"] for warning in answer.get_json()["warnings"]]

    assert warnings("0" * 64) == ["paper_changed"]
    assert warnings(upload["sha256"].upper()) == []


@pytest.mark.parametrize("text", ["a\0", "\ud800"])
def test_text_that_cannot_be_stored_is_refused_also_in_unknown_keys(
    api: Any, refused: Any, paper: str, text: str
) -> None:
    told = refused(api.put(paper, tree(extra={"deep": [text]})), 422, "rubric_invalid")
    assert ("extra.deep[0]", "bad_characters") in {(fault["field"], fault["code"]) for fault in told["details"]}


@pytest.mark.parametrize("body", [b"", b"{", b'{"weight": NaN}', b"\xff"])
def test_what_is_not_json_is_400(api: Any, refused: Any, paper: str, body: bytes) -> None:
    refused(api.send("PUT", paper, data=body, content_type="application/json"), 400, "bad_json")


@pytest.mark.parametrize("body", [[], None, 3, {}, {"path": 3}, {"path": "upload:x", "more": 1}])
def test_what_is_no_rubric_is_422(api: Any, refused: Any, paper: str, body: Any) -> None:
    answer = api.send("PUT", paper, data=json.dumps(body), content_type="application/json")
    refused(answer, 422, "rubric_invalid")


def test_a_rubric_needs_its_paper(api: Any, refused: Any) -> None:
    refused(api.put("/papers/none/rubric", tree()), 404, "paper_not_found")
    refused(api.get("/papers/none/rubric"), 404, "paper_not_found")


def test_a_body_over_8_mib_is_413(api: Any, refused: Any, paper: str) -> None:
    big = copy.deepcopy(tree(note="x" * (8 * 2**20)))
    refused(api.put(paper, big), 413, "body_too_large")
