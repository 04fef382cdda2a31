"""Launching, following and ending runs over HTTP, on memory ports."""

from __future__ import annotations

import io
import json
import tarfile
from dataclasses import replace
from typing import Any

import pytest

from functions.runs import logs as log_streams
from runner.domain.run import Ending
from runner.ports import Ports

RUBRIC = {
    "id": "r",
    "requirements": "x",
    "weight": 1,
    "sub_tasks": [
        {
            "id": "l",
            "requirements": "y",
            "weight": 1,
            "sub_tasks": [],
            "task_category": "Code Execution",
            "check": {"kind": "artifact", "path": "out.csv"},
        }
    ],
}


def submission() -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        info = tarfile.TarInfo("reproduce.sh")
        info.size = 4
        tar.addfile(info, io.BytesIO(b"true"))
    return raw.getvalue()


@pytest.fixture
def launched(api: Any, ports: Ports) -> str:
    """The id of a queued run."""
    api.paper("p")
    assert api.put("/papers/p/rubric", RUBRIC).status_code == 201
    assert api.form("/papers/p/submission", submission(), "s.tar").status_code == 201
    answer = api.post("/run", {"paper_ids": ["p"]})
    assert answer.status_code == 202, answer.text
    return str(answer.get_json()["job_ids"][0])


def end_as(ports: Ports, run_id: str, status: str) -> None:
    """Plays a worker whose stage ends the run."""
    now = ports.clock.now()
    assert ports.runs.claim(run_id, "reproduce", 1, "w", now)
    ending = Ending(state="failed", outcome={}, run_status=status, execution_state="failed")  # type: ignore[arg-type]
    assert ports.runs.finish(run_id, "reproduce", 1, "w", ending, now)


def events(api: Any, run_id: str, **headers: str) -> list[dict[str, str]]:
    with api.get(f"/run/{run_id}/logs", headers=headers) as answer:
        assert answer.status_code == 200, answer.text
        frames = [frame for frame in answer.text.split("\n\n") if frame and not frame.startswith(":")]
    return [dict(line.split(": ", 1) for line in frame.split("\n")) for frame in frames]


def test_a_queued_run_shows_what_was_asked_and_four_stages(api: Any, launched: str) -> None:
    answer = api.get(f"/run/{launched}")
    status = answer.get_json()
    assert (status["status"], status["execution_state"], status["current_stage"]) == ("queued", "queued", "reproduce")
    assert [stage["state"] for stage in status["stages"]] == ["skipped", "skipped", "pending", "pending"]
    assert status["configs"]["judge_config"]["n_runs"] == 1
    assert status["configs"]["reproduce_config"]["time_limit_sec"] == 43_200
    assert len(answer.data) < 8000


def test_long_lists_in_configs_are_shown_as_counts(api: Any, launched: str) -> None:
    blacklist = [f"https://example.org/{n}/{'x' * 100}" for n in range(60)]
    answer = api.post("/run", {"paper_ids": ["p"], "reproduce_config": {"blacklist": blacklist}})
    status = api.get(f"/run/{answer.get_json()['job_ids'][0]}")
    assert status.get_json()["configs"]["reproduce_config"]["blacklist"] == 60
    assert len(status.data) < 8000


@pytest.mark.parametrize(
    "body,field",
    [
        ({"paper_ids": []}, "paper_ids"),
        ({}, "paper_ids"),
        ({"paper_ids": ["x"], "extra": 1}, "extra"),
        ({"paper_ids": ["x"], "judge_config": {"n_runs": 0}}, "judge_config.n_runs"),
        ({"paper_ids": ["x"], "judge_config": {"n_runs": True}}, "judge_config.n_runs"),
        ({"paper_ids": ["x"], "reproduce_config": {"nodes": -1}}, "reproduce_config.nodes"),
        ({"paper_ids": ["x"], "reproduce_config": {"colour": 1}}, "reproduce_config.colour"),
        ({"paper_ids": ["x"], "reproduce_config": {"sandbox_kind": "jail"}}, "reproduce_config.sandbox_kind"),
        ({"paper_ids": ["x"], "rubric_config": "abc"}, "rubric_config"),
        ({"paper_ids": ["x"], "dry_run": "false"}, "dry_run"),
        ({"paper_ids": ["x"], "budget_usd": 0}, "budget_usd"),
    ],
)
def test_faulty_launches_name_the_field_and_store_nothing(
    api: Any, ports: Ports, refused: Any, body: dict[str, Any], field: str
) -> None:
    answer = refused(api.post("/run", body), 422, "validation_failed")
    assert field in [detail["field"] for detail in answer["details"]]
    assert not ports.runs.pending(10)


def test_a_refused_launch_lists_every_problem(api: Any, launched: str, refused: Any) -> None:
    body = refused(api.post("/run", {"paper_ids": ["p", "ghost", "gone"]}), 422, "launch_refused")
    assert [(d["field"], d["code"]) for d in body["details"]] == [
        ("paper_ids[1]", "paper_not_found"),
        ("paper_ids[2]", "paper_not_found"),
    ]


def test_a_dry_run_answers_200_per_paper(api: Any, launched: str) -> None:
    answer = api.post("/run", {"paper_ids": ["p", "ghost"], "dry_run": True})
    assert answer.status_code == 200
    assert [(p["paper_id"], p["ok"]) for p in answer.get_json()["papers"]] == [("p", True), ("ghost", False)]


@pytest.mark.parametrize("key", ["", "x" * 256, "a b", "ä"])
def test_an_idempotency_key_is_visible_ascii(api: Any, launched: str, refused: Any, key: str) -> None:
    answer = api.post("/run", {"paper_ids": ["p"]}, headers={"Idempotency-Key": key})
    assert refused(answer, 422, "validation_failed")["details"][0]["field"] == "Idempotency-Key"


def test_runs_are_listed_newest_first_by_page(api: Any, launched: str, ports: Ports) -> None:
    second = api.post("/run", {"paper_ids": ["p"]}).get_json()["job_ids"][0]
    page = api.get("/runs", limit=1).get_json()
    assert [run["job_id"] for run in page["runs"]] == [second]
    assert "configs" not in page["runs"][0]
    rest = api.get("/runs", limit=1, cursor=page["next_cursor"]).get_json()
    assert ([run["job_id"] for run in rest["runs"]], rest["next_cursor"]) == ([launched], None)
    assert api.get("/runs", status="completed,failed").get_json()["runs"] == []
    assert len(api.get("/runs", status="queued", paper_id="p").get_json()["runs"]) == 2


@pytest.mark.parametrize(
    "query", [{"status": "happy"}, {"stage": "lunch"}, {"limit": 0}, {"limit": 101}, {"cursor": "x"}]
)
def test_lists_refuse_faulty_parameters(api: Any, refused: Any, query: dict[str, Any]) -> None:
    refused(api.get("/runs", **query), 422)


@pytest.mark.parametrize("path", ["", "/results", "/logs", "/logs.txt", "/report", "/artifacts"])
@pytest.mark.parametrize("job", ["run_01M8Q64CPTA43S03QV6KFBKTDP", "nonsense", "..", "%2e%2e"])
def test_an_unknown_run_is_404_everywhere(api: Any, refused: Any, job: str, path: str) -> None:
    refused(api.get(f"/run/{job}{path}"), 404)


def test_results_of_an_unfinished_run_are_a_conflict(api: Any, launched: str, refused: Any) -> None:
    body = refused(api.get(f"/run/{launched}/results"), 409, "results_not_available")
    assert (body["error"], body["status"]) == ("results not available", "queued")
    refused(api.get(f"/run/{launched}/report"), 409, "results_not_available")


def test_a_failed_run_says_why_there_are_no_results(api: Any, launched: str, ports: Ports, refused: Any) -> None:
    end_as(ports, launched, "failed")
    assert "run_error" not in refused(api.get(f"/run/{launched}/results"), 409, "results_not_available")


def test_a_queued_run_is_cancelled_at_once_and_can_be_retried(
    api: Any, launched: str, ports: Ports, refused: Any
) -> None:
    answer = api.post(f"/run/{launched}/cancel")
    assert (answer.status_code, answer.get_json()) == (202, {"job_id": launched, "status": "cancelled"})
    assert api.post(f"/run/{launched}/cancel").status_code == 200
    refused(api.post(f"/run/{launched}/retry", {"from_stage": "judge"}), 422, "stage_not_reached")
    refused(api.post(f"/run/{launched}/retry", {"from_stage": "lunch"}), 422, "validation_failed")
    answer = api.post(f"/run/{launched}/retry")
    assert (answer.status_code, answer.get_json()["from_stage"]) == (202, "reproduce")
    assert refused(api.post(f"/run/{launched}/retry"), 409, "run_not_retryable")["status"] == "queued"


def test_a_finished_run_cannot_be_cancelled(api: Any, launched: str, ports: Ports, refused: Any) -> None:
    end_as(ports, launched, "failed")
    assert refused(api.post(f"/run/{launched}/cancel"), 409, "run_not_active")["status"] == "failed"


def test_a_rerun_is_a_new_run_of_the_same_configs(api: Any, launched: str, ports: Ports, refused: Any) -> None:
    assert refused(api.post(f"/run/{launched}/rerun"), 409, "run_not_finished")["status"] == "queued"
    end_as(ports, launched, "failed")
    key = {"Idempotency-Key": "again"}
    new = api.post(f"/run/{launched}/rerun", headers=key).get_json()["job_id"]
    assert api.post(f"/run/{launched}/rerun", headers=key).get_json()["job_id"] == new
    refused(api.post("/run", {"paper_ids": ["p"]}, headers=key), 422, "idempotency_key_reused")
    old, again = ports.runs.get(launched), ports.runs.get(new)
    assert again.rerun_of == launched
    assert (again.configs, again.rubric_id, again.submission_id) == (old.configs, old.rubric_id, old.submission_id)


def test_a_rerun_needs_its_paper(api: Any, launched: str, ports: Ports, refused: Any) -> None:
    end_as(ports, launched, "failed")
    assert api.post("/papers/p/delete").get_json()["deleted"] is True
    for _ in range(2):
        (fault,) = refused(api.post(f"/run/{launched}/rerun"), 422, "launch_refused")["details"]
        assert (fault["field"], fault["code"]) == ("paper_id", "paper_not_found")
        if api.get("/papers/p").status_code == 404:
            api.paper()  # another paper of that id


def test_the_stream_ends_with_done_and_can_be_resumed(api: Any, launched: str, ports: Ports) -> None:
    ports.log.append(launched, [(ports.clock.now(), "info", "reproduce", "two\nlines <b>")])
    end_as(ports, launched, "failed")
    every = events(api, launched)
    assert [int(event["id"]) for event in every] == list(range(len(every)))
    assert every[-1] == {"event": "done", "id": every[-1]["id"], "data": '{"status":"failed"}'}
    assert "two\nlines <b>" in [json.loads(event["data"]).get("msg") for event in every]
    last = int(every[-1]["id"])
    assert events(api, launched, **{"Last-Event-ID": "0"}) == every[1:]
    assert events(api, launched, **{"Last-Event-ID": str(last - 1)}) == every[-1:]
    assert events(api, launched, **{"Last-Event-ID": "-3"}) == events(api, launched, **{"Last-Event-ID": "x"}) == every
    for number in (last, 999_999):
        assert api.get(f"/run/{launched}/logs", headers={"Last-Event-ID": str(number)}).status_code == 204
        assert api.get(f"/run/{launched}/logs", after=number).status_code == 204


def test_after_a_retry_the_old_end_is_a_line_like_others(api: Any, launched: str, ports: Ports) -> None:
    end_as(ports, launched, "cancelled")
    old_end = int(events(api, launched)[-1]["id"])
    api.post(f"/run/{launched}/retry")
    api.post(f"/run/{launched}/cancel")
    every = events(api, launched)
    replayed = next(event for event in every if int(event["id"]) == old_end)
    assert replayed["event"] == "log"
    assert json.loads(replayed["data"])["stage"] == "run"
    assert [event["event"] for event in every].count("done") == 1
    assert [int(event["id"]) for event in every] == list(range(len(every)))


def test_logs_txt_has_a_line_per_stored_line(api: Any, launched: str, ports: Ports) -> None:
    end_as(ports, launched, "failed")
    answer = api.get(f"/run/{launched}/logs.txt")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert "attachment" in answer.headers["Content-Disposition"]
    assert len(answer.text.splitlines()) == len(events(api, launched)) - 1
    assert answer.text.splitlines()[0].endswith(" INFO [run] queued")


def test_streams_beyond_the_limit_are_refused_and_places_come_back(
    api: Any, launched: str, ports: Ports, refused: Any
) -> None:
    end_as(ports, launched, "failed")
    kit = api.app.extensions["reprise"]
    api.app.extensions["reprise"] = replace(kit, settings=kit.settings.model_copy(update={"max_streams": 1}))
    log_streams._take_place(1)
    answer = api.get(f"/run/{launched}/logs")
    assert refused(answer, 503, "too_many_streams")["retryable"] is True
    assert int(answer.headers["Retry-After"]) >= 1
    log_streams._leave_place()
    for _ in range(3):
        assert events(api, launched)[-1]["event"] == "done"


def test_a_process_without_streams_knows_no_logs(api: Any, launched: str, refused: Any) -> None:
    kit = api.app.extensions["reprise"]
    api.app.extensions["reprise"] = replace(kit, settings=kit.settings.model_copy(update={"streams": False}))
    refused(api.get(f"/run/{launched}/logs"), 404, "not_found")


@pytest.mark.parametrize(
    "query", [{"languages": "xx"}, {"languages": ""}, {"formats": "exe"}, {"output_root": "../x"}, {"output_root": "/etc"},
              {"output_root": "a b"}, {"output_root": "s3://other/x"}, {"output_root": "a/../../b"}, {"output_root": "."},
              {"output_root": "a//b"}, {"output_root": "a/./b"}, {"output_root": "a//"}, {"output_root": "/"},
              {"output_root": "papers/p"}, {"output_root": "runs"}, {"output_root": "uploads/"},
              {"output_root": "submissions/x"}, {"output_root": ".incoming/x"}, {"output_root": "x" * 201}]
)  # fmt: skip
def test_report_parameters_cannot_play_tricks(api: Any, launched: str, refused: Any, query: dict[str, str]) -> None:
    details = refused(api.get(f"/run/{launched}/report", **query), 422, "validation_failed")["details"]
    assert {fault["field"].partition("[")[0] for fault in details} == {*query}


@pytest.mark.parametrize("root", ["mine", "mine/", "reports/x", "a..b/.c", "papers2"])
def test_a_report_may_go_under_a_prefix(api: Any, launched: str, refused: Any, root: str) -> None:
    refused(api.get(f"/run/{launched}/report", output_root=root), 409, "results_not_available")


def test_a_private_papers_run_is_unknown_to_foreign_origins(api: Any, launched: str, refused: Any) -> None:
    assert api.post("/papers/p/metadata", {"visibility": "private"}).status_code == 200
    evil = {"Origin": "https://evil.example"}
    assert api.get(f"/run/{launched}").status_code == 200
    for path in ("", "/results", "/logs", "/logs.txt", "/artifacts", "/report"):
        refused(api.get(f"/run/{launched}{path}", headers=evil), 404, "run_not_found")
    assert api.get("/runs", headers=evil).get_json()["runs"] == []
