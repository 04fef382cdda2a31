"""Stored values of ended runs, as the report receives them."""

from __future__ import annotations

import copy
import json
import pathlib
from typing import Any

import pytest

Stored = dict[str, Any]
FINISHED = pathlib.Path(__file__).parent / "data" / "finished_run.json"


@pytest.fixture
def finished() -> Stored:
    """The example's run: `paper`, `run`, `results`, `rubric`, `log_tail`, as they were really stored."""
    stored: Stored = json.loads(FINISHED.read_text("utf-8"))
    return stored


@pytest.fixture
def troubled(finished: Stored) -> Stored:
    """The same run gone wrong: exit code 1, a third of the leaves judged by a model, some not at all."""
    stored = copy.deepcopy(finished)
    _fail_the_script(stored)
    _judge_by_model(stored["results"]["leaves"])
    _open_up(stored["results"])
    stored["results"]["claims"][4]["assessments"].append(
        {
            "assessment_id": "as_01M8Q64CPTA43S03QV6KFBKTDZ",
            "conclusion": "insufficient",
            "assessor": {"kind": "human", "name": "山田 花子"},
            "rationale": "The decimal point seems to have slipped in Table 2.",
            "created_at": "2026-05-14T08:00:00Z",
        }
    )
    stored["results"]["negative_control"] = {"empty": 0.12, "boilerplate": 0.31, "passed": False}
    stored["results"]["cost"] = {"llm_usd": None, "cost_known": False, "tokens_in": 184203, "tokens_out": 9120}
    return stored


@pytest.fixture
def failed(finished: Stored) -> Stored:
    """A run that ended without results, because our side broke."""
    diagnostic = {
        "code": "worker_lost",
        "category": "infrastructure",
        "retryable": True,
        "summary": "The worker of this stage stopped answering.",
        "recovery_action": "Retry; if it happens again, look at the worker's host.",
    }
    run = {**finished["run"], "status": "failed", "execution_state": "failed", "score": None, "coverage": None}
    run |= {"diagnostic": diagnostic, "error": diagnostic["summary"]}
    return {**finished, "run": run, "results": None}


def _fail_the_script(stored: Stored) -> None:
    stored["run"] |= {"degraded": True, "execution_state": "failed"}
    stored["results"]["degraded"] = True
    stored["results"]["reproduce"] |= {
        "exit_code": 1,
        "missing": ["out/table3.csv", "out/figure2.pdf"],
        "omitted": [{"path": "out/checkpoint.bin", "size_bytes": 912_000_000, "reason": "too_large"}],
        "removed": [".venv"],
        "sandbox_kind": "slurm",
        "network": "off",
        "slurm": {
            "job_id": "4711",
            "state": "FAILED",
            "partition": "debug",
            "nodes": "node[01-02]",
            "queue_wait_sec": 754,
            "granted_time_limit_sec": 900,
        },
    }
    stored["run"]["stages"][2] |= {"state": "failed", "queue_wait_sec": 0.15}
    stored["log_tail"] = [*stored["log_tail"], "curl: (6) Could not resolve host: data.example.org"]


def _judge_by_model(leaves: list[Stored]) -> None:
    for leaf in leaves[::3]:
        leaf["judge"] = {"kind": "llm", "model": "openai/scripted-judge"}
        leaf["explanation"] = "**Yes.** `study/policies.py` has\n\n- one function per policy\n- and *no* other state\n"
        leaf["agreement"] = 0.67


def _open_up(results: Stored) -> None:
    """Leaves some criteria unjudged; the numbers beside them are those of such a run."""
    for leaf in results["leaves"][6:9]:
        leaf |= {"status": "not_judged", "passed": None, "score": None, "reason": "judge_not_json"}
        leaf["explanation"] = "The model gave no readable verdict."
    results |= {
        "ors_score": None,
        "raw_score": 0.9218,
        "coverage": 0.8571,
        "score_bounds": {"low": 0.7905, "high": 0.9333},
    }
    results["categories"]["Result Analysis"] |= {"met": 11, "not_judged": 3, "score": 0.905}
    results["measurements"][2] |= {"observed_value": None, "verification": "unverified"}
    results["claims"][1] |= {"conclusion": None, "assessments": []}
