"""Launching checks everything first, and stores all runs or none."""

from __future__ import annotations

import io
import pathlib
import tarfile
from dataclasses import replace
from typing import Any

import pytest

from runner.adapters.memory.ports import memory_ports
from runner.domain.configs import Configs, JudgeConfig, ReproduceConfig, RubricConfig
from runner.domain.errors import Invalid
from runner.ports import Ports
from runner.usecases import launch as use
from runner.usecases import register, rubrics, submissions
from runner.usecases.given_files import Intake
from runner.usecases.launch_checks import LaunchRequest

INTAKE = Intake((), 2**20)
RUBRIC = (
    b'{"id":"r","requirements":"x","weight":1,"sub_tasks":[{"id":"l","requirements":"y","weight":1,"sub_tasks":[],'
    b'"task_category":"Code Execution","check":{"kind":"artifact","path":"out.csv"}}]}'
)


@pytest.fixture
def ports(tmp_path: pathlib.Path) -> Ports:
    return memory_ports(tmp_path)


def ready(ports: Ports, paper_id: str, files: dict[str, str] | None = None, rubric: bytes | None = RUBRIC) -> None:
    draft = register.Draft("local", "s", "T", paper_id=paper_id, license="MIT")
    register.register(ports, draft=draft, overwrite=False, intake=INTAKE, actor=None)
    if rubric:
        rubrics.put(ports, paper_id=paper_id, body=rubric, if_version=None, intake=INTAKE, actor=None)
    if files is None:
        files = {"reproduce.sh": "true"}
    if files:
        submissions.add(ports, paper_id=paper_id, given=packed(files), intake=INTAKE, actor=None)


def packed(files: dict[str, str]) -> io.BytesIO:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    raw.seek(0)
    return raw


def request(*paper_ids: str, **more: Any) -> LaunchRequest:
    return LaunchRequest(paper_ids, more.pop("configs", Configs()), **more)


def refused(ports: Ports, asked: LaunchRequest) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as error:
        use.launch(ports, request=asked, actor=None)
    assert error.value.code == "launch_refused"
    assert not ports.runs.page(paper_id=None, statuses=(), stage=None, after=None, limit=100).items
    return [(fault.field, fault.code) for fault in error.value.details]


def test_a_run_waits_and_the_queue_is_told(ports: Ports) -> None:
    ready(ports, "p")
    answer = use.launch(ports, request=request("p"), actor="key one")
    run = ports.runs.get(answer["job_ids"][0])
    assert (run.status, run.created_by, run.skipped) == ("queued", "key one", ("rubric", "rollout"))
    assert [(job.job, job.args) for job in ports.queue.jobs] == [("runner.jobs.reproduce", (run.run_id, 1))]
    assert answer["estimated_cost"]["llm_cost_usd"] == 0
    assert answer["estimated_total"] == {"wall_time_sec": 43_260, "llm_cost_usd": 0}


def test_a_queue_that_is_down_loses_nothing(ports: Ports) -> None:
    ready(ports, "p")
    ports.queue.is_down = True
    answer = use.launch(ports, request=request("p"), actor=None)
    assert [attempt.run_id for attempt in ports.runs.pending(10)] == answer["job_ids"]


def test_one_bad_paper_refuses_all(ports: Ports) -> None:
    ready(ports, "p")
    assert refused(ports, request("p", "ghost")) == [("paper_ids[1]", "paper_not_found")]


@pytest.mark.parametrize(
    "files,rubric,config,expected",
    [
        (None, None, {}, ("paper_ids[0]", "rubric_missing")),
        ({}, RUBRIC, {}, ("paper_ids[0]", "submission_missing")),
        ({"a.py": "x"}, RUBRIC, {}, ("paper_ids[0]", "submission_no_reproduce_sh")),
        (
            None,
            RUBRIC,
            {"rubric_config": RubricConfig(rubric_id="rub_x")},
            ("rubric_config.rubric_id", "rubric_not_found"),
        ),
        (None, RUBRIC, {"rubric_config": RubricConfig(model="m")}, ("rubric_config.model", "rubric_missing")),
        (
            None,
            RUBRIC,
            {"reproduce_config": ReproduceConfig(submission_id="sub_x")},
            ("reproduce_config.submission_id", "submission_not_found"),
        ),
        (
            None,
            RUBRIC,
            {"reproduce_config": ReproduceConfig(network=True)},
            ("reproduce_config.network", "network_not_allowed"),
        ),
        (
            None,
            RUBRIC,
            {"reproduce_config": ReproduceConfig(gpus_per_node=2)},
            ("reproduce_config.gpus_per_node", "gpu_unavailable"),
        ),
        (
            None,
            RUBRIC,
            {"reproduce_config": ReproduceConfig(container_image="img")},
            ("reproduce_config.container_image", "sandbox_unavailable"),
        ),
        (None, RUBRIC, {"judge_config": JudgeConfig(code_only=True)}, ("judge_config", "rubric_nothing_to_grade")),
    ],
)
def test_what_is_missing_is_named(
    ports: Ports, files: dict[str, str] | None, rubric: bytes | None, config: dict[str, Any], expected: tuple[str, str]
) -> None:
    ready(ports, "p", files, rubric)
    assert refused(ports, request("p", configs=Configs(**config))) == [expected]


def test_an_unavailable_sandbox_is_refused_before_anything_starts(ports: Ports) -> None:
    ready(ports, "p")
    ready(ports, "q")
    ports.sandboxes.refusal = "sandbox_unavailable"
    assert refused(ports, request("p", "q")) == [("reproduce_config.sandbox_kind", "sandbox_unavailable")]


def test_a_null_submission_asks_for_an_agent_which_this_version_lacks(ports: Ports) -> None:
    ready(ports, "p")
    assert refused(ports, request("p", submission_field_set=True)) == [("paper_ids[0]", "submission_missing")]


def test_repeated_ids_count_once_and_order_is_kept(ports: Ports) -> None:
    ready(ports, "a")
    ready(ports, "b")
    answer = use.launch(ports, request=request("b", "a", "b"), actor=None)
    assert [ports.runs.get(job).paper_id for job in answer["job_ids"]] == ["b", "a"]
    assert "duplicate_paper_id" in [warning["code"] for warning in answer["warnings"]]


def test_an_idempotency_key_gives_the_first_answer_again(ports: Ports) -> None:
    ready(ports, "p")
    asked = request("p", idempotency_key="k", body_sha256="1")
    first = use.launch(ports, request=asked, actor=None)
    assert use.launch(ports, request=asked, actor=None) == first
    with pytest.raises(Invalid) as error:
        use.launch(ports, request=replace(asked, body_sha256="2"), actor=None)
    assert error.value.code == "idempotency_key_reused"


def test_a_dry_run_creates_nothing_and_reports_per_paper(ports: Ports) -> None:
    ready(ports, "p", {"reproduce.sh": "true", "requirements.txt": "numpy"})
    answer = use.dry_run(ports, request=request("p", "ghost"))
    assert [(paper["paper_id"], paper["ok"]) for paper in answer["papers"]] == [("p", True), ("ghost", False)]
    assert answer["papers"][1]["problems"][0]["code"] == "paper_not_found"
    assert "environment_not_prepared" in [warning["code"] for warning in answer["warnings"]]
    assert not ports.runs.pending(10)


def test_a_code_only_run_needs_no_script_and_skips_the_reproduction(ports: Ports) -> None:
    rubric = RUBRIC.replace(b"Code Execution", b"Code Development").replace(b'"out.csv"', b'"a.py","produced":false')
    ready(ports, "p", {"a.py": "x"}, rubric)
    answer = use.launch(
        ports, request=request("p", configs=Configs(judge_config=JudgeConfig(code_only=True))), actor=None
    )
    run = ports.runs.get(answer["job_ids"][0])
    assert run.skipped == ("rubric", "rollout", "reproduce")
    assert run.code_only


def test_a_private_paper_is_unknown_to_who_may_not_see_it(ports: Ports) -> None:
    draft = register.Draft("local", "s", "T", paper_id="p", visibility="private")
    register.register(ports, draft=draft, overwrite=False, intake=INTAKE, actor=None)
    answer = use.dry_run(ports, request=request("p"), with_private=False)
    assert answer["papers"][0]["problems"][0]["code"] == "paper_not_found"
