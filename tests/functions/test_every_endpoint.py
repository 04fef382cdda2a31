"""What holds for every answer: shape of errors, ids, headers, JSON rules."""

from __future__ import annotations

import json
from typing import Any

import pytest


@pytest.mark.parametrize("path", ["/nothing", "/papers/p/nothing", "/papers/", "/papers//p", "", "/papers/a%2Fb/pdf"])
def test_an_unknown_path_is_a_json_404(api: Any, refused: Any, path: str) -> None:
    answer = api.get(path)
    refused(answer, 404, "not_found")
    assert answer.headers["Content-Type"] == "application/json"
    assert int(answer.headers["Content-Length"]) == len(answer.data)


def test_a_wrong_verb_is_405_and_says_which_are_right(api: Any, refused: Any) -> None:
    answer = api.send("DELETE", "/papers")
    refused(answer, 405, "method_not_allowed")
    assert "GET" in answer.headers["Allow"]


def test_the_address_of_an_import_is_no_paper(api: Any, refused: Any) -> None:
    answer = api.get("/papers/import")
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["Allow"] == "OPTIONS, POST"
    assert "GET" not in api.send("OPTIONS", "/papers/import").headers["Allow"]
    refused(api.get("/papers/imports"), 404, "paper_not_found")
    refused(
        api.post("/papers/import", {"source_type": "local", "source": "s", "title": "T", "paper_id": "import"}), 422
    )


def test_query_strings_and_dots_do_not_change_routing(api: Any, refused: Any) -> None:
    api.paper()
    assert api.get("/papers/p?x=1&y=%2F").status_code == 200
    for evil in ("..", ".", "%2e%2e", "..%2f..", "%2E%2E%2Fp"):
        answer = api.post(f"/papers/{evil}/delete", {})
        assert answer.status_code in (200, 404)
        assert not answer.get_json().get("deleted")
    assert api.get("/papers/p").status_code == 200


def test_a_good_request_id_is_echoed_and_a_bad_one_replaced(api: Any) -> None:
    assert api.get("/papers", {"X-Request-Id": "abc-1"}).headers["X-Request-Id"] == "abc-1"
    for bad in ("", "a b", "x" * 65, "é"):
        made = api.get("/papers", {"X-Request-Id": bad}).headers["X-Request-Id"]
        assert made != bad
        assert len(made) == 26


def test_head_is_get_without_a_body(api: Any) -> None:
    api.paper()
    head, get = api.send("HEAD", "/papers/p"), api.get("/papers/p")
    assert head.status_code == 200
    assert head.data == b""
    assert head.headers["Content-Length"] == get.headers["Content-Length"]
    assert head.headers["ETag"] == get.headers["ETag"]


@pytest.mark.parametrize(
    "body",
    [b"{", b"", b'{"title": NaN}', b'{"a": -Infinity}', b'{"a": 1e999}', b"\xff\xfe", b'{"a":1,"a":2}', b"[" * 100_000,
     b'\xef\xbb\xbf{}', b"9" * 5000],
)  # fmt: skip
def test_a_body_that_is_not_json_is_400(api: Any, refused: Any, body: bytes) -> None:
    refused(api.send("POST", "/papers/import", data=body, content_type="application/json"), 400, "bad_json")


@pytest.mark.parametrize("body", [[1], "text", 3, None, True])
def test_a_body_that_is_not_an_object_is_422(api: Any, refused: Any, body: Any) -> None:
    answer = api.send("POST", "/papers/import", data=json.dumps(body), content_type="application/json")
    (fault,) = refused(answer, 422, "validation_failed")["details"]
    assert (fault["field"], fault["message"]) == ("", "The body must be a JSON object.")


def test_an_object_inside_the_body_is_asked_for_in_plain_words(api: Any, refused: Any) -> None:
    body = {"paper_ids": ["p"], "judge_config": 3}
    (fault,) = refused(api.post("/run", body), 422, "validation_failed")["details"]
    assert (fault["field"], fault["message"]) == ("judge_config", "This must be a JSON object.")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "multipart/form-data"])
def test_only_json_can_change_something(api: Any, refused: Any, kind: str) -> None:
    body = json.dumps({"source_type": "local", "source": "s", "title": "T", "paper_id": "p"})
    refused(api.send("POST", "/papers/import", data=body, content_type=kind), 415, "unsupported_media_type")
    refused(api.get("/papers/p"), 404, "paper_not_found")


def test_all_faults_are_told_at_once_with_their_place(api: Any, refused: Any) -> None:
    body = {"source_type": "web", "year": True, "authors": ["A", 3], "colour": 1, "title": "a\0", "x\ud800": 1}
    details = refused(api.post("/papers/import", body), 422, "validation_failed")["details"]
    told = {(fault["field"], fault["code"]) for fault in details}
    assert {
        ("source_type", "unknown_value"),
        ("year", "wrong_type"),
        ("authors[1]", "wrong_type"),
        ("colour", "unknown_field"),
        ("source", "missing_field"),
        ("title", "bad_characters"),
        ("x?", "bad_characters"),
    } <= told


def test_a_json_body_over_8_mib_is_413(api: Any, refused: Any) -> None:
    body = b'{"title": "' + b"x" * (8 * 2**20) + b'"}'
    refused(api.send("POST", "/papers/import", data=body, content_type="application/json"), 413, "body_too_large")


def test_a_body_that_ends_early_is_400(api: Any, refused: Any) -> None:
    short = {"CONTENT_LENGTH": "20"}
    answer = api.send("POST", "/papers/p/delete", data=b"{}", content_type="application/json", environ_overrides=short)
    refused(answer, 400, "body_incomplete")


def test_a_bug_is_500_with_the_request_id_and_a_log_without_secrets(
    api: Any, refused: Any, caplog: pytest.LogCaptureFixture
) -> None:
    @api.app.get("/api/paperbench/boom")
    def boom() -> None:
        raise RuntimeError("cannot open with the secret of memory and Authorization: Bearer abc")

    body = refused(api.get("/boom?ticket=t", {"X-Request-Id": "r1"}), 500, "internal_error")
    assert body["request_id"] == "r1"
    assert "Runtime" not in json.dumps(body)
    assert "Traceback" in caplog.text
    assert "r1" in caplog.text
    for secret in ("of memory", "Bearer abc", "ticket=t"):
        assert secret not in caplog.text


def test_reads_are_open_to_every_origin_and_changes_to_ours(api: Any) -> None:
    evil, ours = {"Origin": "https://evil.example"}, {"Origin": "http://127.0.0.1:8321"}
    assert api.get("/papers", evil).headers["Access-Control-Allow-Origin"] == "*"
    assert api.get("/papers/none", evil).headers["Access-Control-Allow-Origin"] == "*"
    asked = api.send("OPTIONS", "/papers/p/metadata", evil)
    assert asked.status_code == 204
    assert "POST" not in asked.headers["Access-Control-Allow-Methods"] + asked.headers["Allow"]
    asked = api.send("OPTIONS", "/papers/p/metadata", ours)
    assert "POST" in asked.headers["Access-Control-Allow-Methods"]
    assert asked.headers["Access-Control-Allow-Origin"] == ours["Origin"]
    assert "Access-Control-Allow-Origin" not in api.post("/papers/none/delete", headers=evil).headers


def test_times_are_utc_and_sort_as_text(api: Any) -> None:
    assert api.paper()["imported_at"] == "2026-05-13T05:57:00.000000Z"
