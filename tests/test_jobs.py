"""Jobs and the conductor on memory ports: outcomes are recorded once, our own failures are tried again, the lost are found."""

from __future__ import annotations

import io
import pathlib
import tarfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from runner import conductor, jobs
from runner.adapters.archives import ArchiveFiles
from runner.adapters.clock import SystemClock
from runner.adapters.memory.ports import memory_ports
from runner.domain.configs import Configs
from runner.domain.masking import Masker
from runner.domain.run import Ending, Run
from runner.ports import Ports, ScriptOutcome, ScriptSpec
from runner.usecases import launch, register, rubrics, submissions
from runner.usecases import runs as use
from runner.usecases.given_files import Intake
from runner.usecases.launch_checks import LaunchRequest

INTAKE = Intake((), 2**20)
RUBRIC = (
    b'{"id":"r","requirements":"x","weight":1,"sub_tasks":[{"id":"l","requirements":"y","weight":1,"sub_tasks":[],'
    b'"task_category":"Code Execution","check":{"kind":"artifact","path":"out.csv"}}]}'
)
Print = Callable[[bytes], None]
Stop = Callable[[], bool]


def makes_out(spec: ScriptSpec, show: Print, should_stop: Stop) -> int:
    show(b"hello\nsecret-value-1234\n")
    (spec.tree / "out.csv").write_text("1\n")
    return 0


@pytest.fixture
def ports(tmp_path: pathlib.Path) -> Ports:
    made = memory_ports(tmp_path / "scratch", makes_out)
    return replace(made, archives=ArchiveFiles(), clock=SystemClock(), masker=Masker(["secret-value-1234"]))


def launched(ports: Ports, files: dict[str, str] | None = None) -> str:
    draft = register.Draft("local", "s", "T", paper_id="p", license="MIT")
    register.register(ports, draft=draft, overwrite=True, intake=INTAKE, actor=None)
    rubrics.put(ports, paper_id="p", body=RUBRIC, if_version=None, intake=INTAKE, actor=None)
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, text in (files or {"reproduce.sh": "true\n"}).items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    raw.seek(0)
    submissions.add(ports, paper_id="p", given=raw, intake=INTAKE, actor=None)
    job: str = launch.launch(ports, request=LaunchRequest(("p",), Configs()), actor=None)["job_ids"][0]
    return job


def work_all(ports: Ports, run_id: str) -> Run:
    """Plays a worker until the run has ended."""
    while not (run := ports.runs.get(run_id)).is_final:
        attempt = next(a for a in run.attempts if a.state == "pending")
        jobs.work(ports, run_id, attempt.stage, attempt.number)
    return run


def messages(ports: Ports, run_id: str) -> list[str]:
    return [line.msg for line in use.log_lines(ports, run_id=run_id)]


def test_a_run_is_reproduced_judged_and_leaves_nothing_in_the_scratch_folder(ports: Ports) -> None:
    run = work_all(ports, launched(ports))
    assert (run.status, run.score, run.coverage, run.progress) == ("completed", 1, 1, 1.0)
    results = ports.runs.results(run.run_id)
    assert results is not None
    assert [item["path"] for item in results["reproduce"]["produced"]] == ["out.csv"]
    assert list(ports.scratch.glob("*")) == []
    assert [a.conclusion for a in ports.runs.assessments(run.run_id)] == ["supports"]


def test_a_job_that_comes_twice_changes_nothing(ports: Ports) -> None:
    run = work_all(ports, launched(ports))
    said = messages(ports, run.run_id)
    for stage in ("reproduce", "judge"):
        jobs.work(ports, run.run_id, stage, 1)  # type: ignore[arg-type]
    assert messages(ports, run.run_id) == said
    assert len(ports.runs.assessments(run.run_id)) == 1


def test_secrets_of_the_service_are_masked_in_log_and_raw_log(ports: Ports) -> None:
    run = work_all(ports, launched(ports))
    assert "[masked]" in messages(ports, run.run_id)
    assert not any("secret-value-1234" in message for message in messages(ports, run.run_id))
    page = ports.runs.evidence(run.run_id, None, 100)
    log = next(item for item in page.items if item.name == "reproduce.log")
    with ports.objects.open(log.key) as file:
        assert file.read() == b"hello\n[masked]\n"
    results = ports.runs.results(run.run_id)
    assert results is not None
    assert results["reproduce"]["masked"] == 1


@pytest.mark.parametrize(
    "ended,code,state",
    [
        (ScriptOutcome(3, None, False, False, 1.0), "reproduce_nonzero_exit", "failed"),
        (ScriptOutcome(None, "SIGKILL", False, False, 1.0), "reproduce_killed", "failed"),
        (ScriptOutcome(None, "SIGTERM", True, False, 1.0), "reproduce_timeout", "timed_out"),
        (ScriptOutcome(0, None, False, False, 1.0, "disk_limit"), "disk_limit", "failed"),
    ],
)
def test_a_script_with_another_outcome_is_judged_and_the_run_degraded(
    ports: Ports, ended: ScriptOutcome, code: str, state: str
) -> None:
    ports.sandboxes.sandbox.script = lambda *_: ended
    run = work_all(ports, launched(ports))
    assert (run.status, run.degraded, run.execution_state) == ("completed", True, state)
    assert run.diagnostic is not None
    assert (run.diagnostic.code, run.diagnostic.retryable) == (code, False)
    results = ports.runs.results(run.run_id)
    assert results is not None
    assert results["leaves"][0]["status"] == "not_met"


def test_our_own_failure_is_tried_twice_more_and_then_fails_the_run(ports: Ports) -> None:
    ports.sandboxes.sandbox.script = lambda *_: ScriptOutcome(None, None, False, False, 0, "sandbox_start_failed", "no")
    run = work_all(ports, launched(ports))
    assert (run.status, run.degraded) == ("failed", False)
    assert [(a.number, a.cause, a.state) for a in run.attempts] == [
        (1, "first", "failed"),
        (2, "automatic", "failed"),
        (3, "automatic", "failed"),
    ]
    assert run.diagnostic is not None
    assert (run.diagnostic.code, run.diagnostic.retryable) == ("sandbox_start_failed", True)
    assert ports.runs.results(run.run_id) is None


def test_a_bug_in_a_stage_fails_the_run_without_telling_its_text(ports: Ports) -> None:
    def bug(*_: Any) -> int:
        raise ZeroDivisionError("/secret/path")

    ports.sandboxes.sandbox.script = bug
    run = work_all(ports, launched(ports))
    assert run.diagnostic is not None
    assert (run.status, run.diagnostic.code) == ("failed", "internal_error")
    assert not any("/secret/path" in message for message in messages(ports, run.run_id))


def test_changed_submission_bytes_end_the_run(ports: Ports) -> None:
    run_id = launched(ports)
    submission = ports.submissions.get(ports.runs.get(run_id).submission_id or "")
    ports.objects.put(submission.file.key, io.BytesIO(b"other"))
    run = work_all(ports, run_id)
    assert run.diagnostic is not None
    assert (run.status, run.diagnostic.code, len(run.attempts)) == ("failed", "submission_corrupt", 1)


def test_a_cancelled_stage_keeps_its_log_and_is_not_judged(ports: Ports) -> None:
    run_id = launched(ports)

    def cancelled_meanwhile(spec: ScriptSpec, show: Print, should_stop: Stop) -> ScriptOutcome:
        show(b"half way\n")
        use.cancel(ports, run_id=run_id, actor=None)
        while not should_stop():
            ports.clock.sleep(0.01)
        return ScriptOutcome(None, "SIGTERM", False, True, 1.0)

    ports.sandboxes.sandbox.script = cancelled_meanwhile
    run = work_all(ports, run_id)
    assert (run.status, run.execution_state) == ("cancelled", "canceled")
    assert "half way" in messages(ports, run_id)
    assert "reproduce.log" in [item.name for item in ports.runs.evidence(run_id, None, 100).items]
    assert ports.runs.results(run_id) is None


def test_a_retry_of_the_judge_rebuilds_the_tree_from_what_was_kept(ports: Ports) -> None:
    def changes_and_deletes(spec: ScriptSpec, show: Print, should_stop: Stop) -> int:
        (spec.tree / "old.txt").unlink()
        (spec.tree / "out.csv").write_text("made\n")
        return 0

    ports.sandboxes.sandbox.script = changes_and_deletes
    run_id = launched(ports, {"reproduce.sh": "true\n", "old.txt": "x", "out.csv": "came with it\n"})
    jobs.work(ports, run_id, "reproduce", 1)
    use.cancel(ports, run_id=run_id, actor=None)
    jobs.workplace.clear(ports, run_id)
    assert use.retry(ports, run_id=run_id, from_stage=None, actor=None) == "judge"
    run = work_all(ports, run_id)
    assert (run.status, run.score) == ("completed", 1)


def test_a_lost_worker_is_given_up_and_its_late_outcome_is_refused(ports: Ports) -> None:
    run_id = launched(ports)
    now = ports.clock.now()
    old = now - conductor.LOST_AFTER - timedelta(seconds=1)
    assert ports.runs.claim(run_id, "reproduce", 1, "gone", old)
    conductor.give_up_lost(ports)
    run = ports.runs.get(run_id)
    assert [(a.number, a.state) for a in run.attempts] == [(1, "failed"), (2, "pending")]
    assert run.attempts[0].diagnostic is not None
    assert run.attempts[0].diagnostic.code == "worker_lost"
    late = Ending(state="succeeded", outcome={}, run_status="completed")
    assert not ports.runs.finish(run_id, "reproduce", 1, "gone", late, now)
    assert work_all(ports, run_id).status == "completed"


def test_a_wiped_queue_is_filled_again(ports: Ports) -> None:
    run_id = launched(ports)
    ports.queue.wipe()
    conductor.queue_forgotten(ports)
    assert ports.queue.jobs == ()
    while ports.clock.now() - ports.runs.get(run_id).created_at < conductor.FORGOTTEN_AFTER:
        ports.clock.sleep(0.05)
    conductor.queue_forgotten(ports)
    conductor.queue_forgotten(ports)
    assert [job.args for job in ports.queue.jobs] == [(run_id, 1)]


def test_a_script_cannot_write_our_log_or_hide_behind_our_names(ports: Ports) -> None:
    def forges(spec: ScriptSpec, show: Print, should_stop: Stop) -> int:
        for name in ("reproduce.log", "manifest-after.json", "submission.archive"):
            (spec.tree / name).write_text("forged")
        return 0

    ports.sandboxes.sandbox.script = forges
    run_id = launched(ports)
    jobs.work(ports, run_id, "reproduce", 1)
    jobs.workplace.clear(ports, run_id)
    run = work_all(ports, run_id)
    assert run.status == "completed"
    results = ports.runs.results(run_id)
    assert results is not None
    assert [item["path"] for item in results["reproduce"]["produced"]] == ["manifest-after.json", "submission.archive"]
    logs = [item for item in ports.runs.evidence(run_id, None, 100).items if item.kind == "log"]
    with ports.objects.open(logs[0].key) as file:
        assert file.read() == b""


def test_a_link_replaced_by_a_folder_is_rebuilt_as_a_folder(ports: Ports) -> None:
    def replaces(spec: ScriptSpec, show: Print, should_stop: Stop) -> int:
        (spec.tree / "link").unlink(missing_ok=True)
        (spec.tree / "link").mkdir()
        (spec.tree / "link/out.csv").write_text("1")
        (spec.tree / "out.csv").write_text("1")
        return 0

    ports.sandboxes.sandbox.script = replaces
    run_id = launched(ports, {"reproduce.sh": "true\n", "link": "a plain file where a folder comes"})
    jobs.work(ports, run_id, "reproduce", 1)
    jobs.workplace.clear(ports, run_id)
    assert work_all(ports, run_id).score == 1


def test_a_cancel_while_files_are_kept_ends_the_keeping(ports: Ports) -> None:
    run_id = launched(ports)

    def many_files(spec: ScriptSpec, show: Print, should_stop: Stop) -> int:
        for number in range(200):
            (spec.tree / f"{number}.txt").write_text(str(number))
        return 0

    class SlowObjects:
        """The store, in which somebody cancels while the first output is put."""

        def __getattr__(self, name: str) -> Any:
            return getattr(ports.objects, name)

        def put(self, key: str, data: Any, content_type: str = "") -> Any:
            if not ports.runs.cancel_requested(run_id):
                use.cancel(ports, run_id=run_id, actor=None)
            ports.clock.sleep(0.02)
            return ports.objects.put(key, data, content_type)

    ports.sandboxes.sandbox.script = many_files
    jobs.work(replace(ports, objects=SlowObjects()), run_id, "reproduce", 1)
    run = ports.runs.get(run_id)
    assert (run.status, run.execution_state) == ("cancelled", "canceled")
    assert [item.kind for item in ports.runs.evidence(run_id, None, 500).items] == ["log"]


def test_a_cancelled_run_whose_worker_is_gone_is_over_in_seconds(ports: Ports) -> None:
    run_id = launched(ports)
    silent_since = ports.clock.now() - conductor.SILENT_AFTER - timedelta(seconds=1)
    assert ports.runs.claim(run_id, "reproduce", 1, "gone", silent_since)
    conductor.give_up_lost(ports)
    assert ports.runs.get(run_id).status == "running"
    use.cancel(ports, run_id=run_id, actor=None)
    conductor.give_up_lost(ports)
    assert ports.runs.get(run_id).status == "cancelled"


def test_what_a_killed_worker_left_is_swept_when_the_run_is_over(ports: Ports) -> None:
    run_id = launched(ports)
    left = ports.scratch / run_id / "1"
    left.mkdir(parents=True)
    (ports.scratch / "run_unknown").mkdir()
    jobs.workplace.sweep(ports)
    assert left.exists()
    use.cancel(ports, run_id=run_id, actor=None)
    jobs.workplace.sweep(ports)
    assert list(ports.scratch.glob("run_*")) == []
