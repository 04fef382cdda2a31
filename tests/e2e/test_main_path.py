"""The main job over HTTP: import, rubric, submission, launch, follow, results, artifacts, report."""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

import httpx

SCRIPT = """#!/bin/bash
echo starting
mkdir -p out
echo '{"measurements": [{"measurementId": "m1", "value": 90.2}, {"measurementId": "m2", "value": 15}]}' > measurements.json
printf 'model,f1\\nsmall,0.1\\n' > out/t.csv
echo finished
"""


def measured(leaf_id: str, weight: float, measurement_id: str, reported: float, tolerance: float) -> dict[str, Any]:
    return {
        "id": leaf_id,
        "requirements": f"{measurement_id} is {reported}.",
        "weight": weight,
        "sub_tasks": [],
        "task_category": "Result Analysis",
        "measurement": {
            "measurementId": measurement_id,
            "metric": "accuracy",
            "unit": None,
            "dimensions": {},
            "reportedValue": reported,
            "tolerance": tolerance,
        },
    }


def rubric() -> dict[str, Any]:
    def claim(node_id: str, weight: float, *leaves: dict[str, Any]) -> dict[str, Any]:
        stated = {"id": f"claim-{node_id}", "text": f"Claim {node_id}.", "kind": "empirical"}
        return {"id": node_id, "requirements": "x", "weight": weight, "sub_tasks": list(leaves), "claim": stated}

    unruled = {
        "id": "judged",
        "requirements": "It is clear.",
        "weight": 1,
        "sub_tasks": [],
        "task_category": "Code Development",
    }
    parts = [
        claim("good", 2, measured("l1", 1, "m1", 90.0, 0.2)),
        claim("bad", 1, measured("l2", 1, "m2", 10, 1)),
        claim("open", 1, unruled),
    ]
    return {"id": "root", "requirements": "All holds.", "weight": 1, "sub_tasks": parts}


def test_a_paper_is_reproduced_judged_and_reported(server: Any) -> None:
    paper_id = server.paper(rubric(), {"reproduce.sh": SCRIPT, "README.md": "text\n"})
    job = server.launch(paper_id)
    status = server.wait(job)
    assert (status["status"], status["degraded"], status["execution_state"]) == ("completed", False, "succeeded"), (
        status
    )
    assert [stage["state"] for stage in status["stages"]] == ["skipped", "skipped", "succeeded", "succeeded"]
    results = server.results(job)
    assert {leaf["id"]: leaf["status"] for leaf in results["leaves"]} == {
        "l1": "met",
        "l2": "not_met",
        "judged": "not_judged",
    }
    assert results["ors_score"] is None
    assert results["coverage"] == 0.75
    assert results["score_bounds"] == {"low": 0.5, "high": 0.75}
    assert status["coverage"] == 0.75
    claims = {claim["claim_id"]: claim for claim in results["claims"]}
    assert claims["claim-good"]["conclusion"] == "supports"
    assert claims["claim-bad"]["conclusion"] == "contradicts"
    assert claims["claim-open"]["conclusion"] is None
    assert claims["claim-open"]["assessments"] == []
    assert [a["assessor"]["kind"] for a in claims["claim-good"]["assessments"]] == ["deterministic"]
    assert sorted(item["path"] for item in results["reproduce"]["produced"]) == ["measurements.json", "out/t.csv"]


def test_the_stream_tells_everything_once_and_ends(server: Any) -> None:
    job = server.launch(server.ready_paper("#!/bin/bash\nfor i in 1 2 3; do echo line $i; done\necho > out.csv\n"))
    server.wait(job)
    events = server.events(job)
    assert [int(event["id"]) for event in events] == list(range(len(events)))
    assert [event["event"] for event in events][-1] == "done"
    assert json.loads(events[-1]["data"]) == {"status": "completed"}
    messages = server.messages(job)
    assert [m for m in messages if m.startswith("line ")] == ["line 1", "line 2", "line 3"]
    last = int(events[-1]["id"])
    assert server.events(job, **{"Last-Event-ID": "2"}) == events[3:]
    assert server.http.get(f"/run/{job}/logs", params={"after": last}).status_code == 204
    text = server.http.get(f"/run/{job}/logs.txt").text
    assert len(text.splitlines()) == len(events) - 1


def test_output_appears_while_the_script_runs(server: Any) -> None:
    job = server.launch(server.ready_paper("#!/bin/bash\necho early\nsleep 3\necho late\necho > out.csv\n"))
    server.wait_for_line(job, "] early\n")
    assert "] late\n" not in server.http.get(f"/run/{job}/logs.txt").text
    assert server.status(job)["execution_state"] == "running"
    assert server.http.get(f"/run/{job}/results").json()["code"] == "results_not_available"
    server.wait(job)


def test_artifacts_are_what_the_run_made(server: Any) -> None:
    job = server.launch(server.ready_paper("#!/bin/bash\necho hello\necho 1 > out.csv\n"))
    server.wait(job)
    rows = server.http.get(f"/run/{job}/artifacts").json()["artifacts"]
    found = {row["name"]: row for row in rows}
    assert {"reproduce.log", "out.csv"} <= set(found)
    for row in rows:
        data = httpx.get(row["url"]).content
        assert hashlib.sha256(data).hexdigest() == row["sha256"]
    assert httpx.get(found["reproduce.log"]["url"]).content == b"hello\n"


def test_a_cancelled_run_leaves_no_process_and_can_be_retried(server: Any) -> None:
    mark = f"{6000 + time.monotonic_ns() % 1000}.{time.monotonic_ns() % 997}"
    job = server.launch(server.ready_paper(f"#!/bin/bash\necho up\nsetsid sleep {mark} &\nsleep {mark}\n"))
    server.wait_for_line(job, "] up\n")
    assert server.http.post(f"/run/{job}/cancel").status_code == 202
    status = server.wait(job, limit_s=10)
    assert (status["status"], status["execution_state"]) == ("cancelled", "canceled")
    assert not [p for p in server.family() if mark in p.cmdline()]
    assert server.http.post(f"/run/{job}/cancel").status_code == 200
    again = server.http.post(f"/run/{job}/retry", json={})
    assert again.json() == {"job_id": job, "status": "queued", "from_stage": "reproduce"}
    server.wait_for_line(job, "ended: cancelled")
    assert server.http.post(f"/run/{job}/cancel").status_code == 202
    status = server.wait(job, limit_s=12)
    assert [s["attempt"] for s in status["stages"] if s["name"] == "reproduce"] == [2]


def test_reports_come_in_three_languages_and_formats(server: Any) -> None:
    job = server.launch(server.paper(rubric(), {"reproduce.sh": SCRIPT}))
    server.wait(job)
    end = time.monotonic() + 60
    while (answer := server.http.get(f"/run/{job}/report", params={"languages": "en,ja,zh"})).status_code == 202:
        assert time.monotonic() < end
    body = answer.json()
    assert body["warnings"] == []
    assert set(body["download_urls"]) == {
        f"{lang}/{kind}" for lang in ("en", "ja", "zh") for kind in ("pdf", "html", "md")
    }
    for name, url in body["download_urls"].items():
        data = httpx.get(url).content
        assert hashlib.sha256(data).hexdigest() == body["sha256"][name]
    assert httpx.get(body["download_urls"]["en/pdf"]).content.startswith(b"%PDF-")
    assert body["harvest"] == {"ors_score": None, "leaves_total": 3, "leaves_met": 1, "coverage": 0.75}
    running = server.launch(server.ready_paper("#!/bin/bash\nsleep 20\n"))
    assert server.http.get(f"/run/{running}/report").json()["code"] == "results_not_available"
    server.http.post(f"/run/{running}/cancel")


def test_equal_idempotency_keys_launch_once(server: Any) -> None:
    paper_id = server.ready_paper("#!/bin/bash\necho > out.csv\n")
    body = {"paper_ids": [paper_id], "reproduce_config": {"sandbox_kind": "bubblewrap"}}
    key = {"Idempotency-Key": f"key-{time.monotonic_ns()}"}
    first = server.http.post("/run", json=body, headers=key)
    second = server.http.post("/run", json=body, headers=key)
    assert first.status_code == second.status_code == 202
    assert first.json() == second.json()
    other = server.http.post("/run", json={**body, "budget_usd": 5}, headers=key)
    assert other.json()["code"] == "idempotency_key_reused"
    assert len(server.http.get("/runs", params={"paper_id": paper_id}).json()["runs"]) == 1


def test_a_script_is_ended_by_signals_however_the_service_was_started(server: Any) -> None:
    job = server.launch(server.ready_paper("#!/bin/bash\nkill -INT $$\necho survived\n"))
    status = server.wait(job)
    assert (status["diagnostic"]["code"], status["execution_state"]) == ("reproduce_killed", "failed"), status
    assert server.results(job)["reproduce"]["signal"] == "SIGINT"
