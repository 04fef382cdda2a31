"""The steps of a run's life, one rule at a time."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from runner.domain.errors import Conflict
from runner.domain.run import Assessment, Diagnostic, Ending, Evidence, Run
from runner.domain.run_life import cancel_asked, claimed, ended, launched, retried

NOW = datetime(2026, 5, 13, 5, 57, tzinfo=UTC)
LATER = NOW + timedelta(seconds=5)
LOST = Diagnostic("worker_lost", "infrastructure", True, "The worker was lost.", "Retry.")
EXIT_3 = Diagnostic("reproduce_nonzero_exit", "submission", False, "It ended with 3.", "Read the log.")
EVIDENCE = Evidence("ev_1", "run_1", "out.csv", "output", "runs/run_1/out.csv", "0" * 64, 3, "text/csv", NOW)
ASSESSMENT = Assessment(
    "as_1", "run_1", "claim", "supports", "deterministic", None, None, "0" * 64, 1.0, 1.0, False, False, (), NOW
)


def a_run(**changes):
    run = Run(
        run_id="run_1",
        paper_id="p",
        repository_id="repo_1",
        paper={},
        rubric_id="rub_1",
        submission_id="sub_1",
        configs={},
        skipped=("rubric", "rollout"),
        code_only=False,
        created_at=NOW,
    )
    return launched(replace(run, **changes)).run


def at_work(run, stage="reproduce", number=1):
    return claimed(run, stage, number, "wk_1", NOW).run


def after(run, ending, stage="reproduce", number=1):
    return ended(run, stage, number, "wk_1", ending, LATER)


def at_judge(**reproduced):
    """A run whose judge is at work after `reproduce` has ended so."""
    ending = Ending("succeeded", {}, next_stage="judge", execution_state="succeeded", progress=0.5)
    return at_work(after(at_work(a_run()), replace(ending, **reproduced)).run, "judge")


def said(step):
    return [(line.level, line.stage, line.msg, line.done) for line in step.lines]


class TestLaunch:
    def test_the_first_needed_stage_waits(self):
        assert [(a.stage, a.number, a.state, a.cause) for a in a_run().attempts] == [
            ("reproduce", 1, "pending", "first")
        ]
        assert a_run(skipped=("rubric", "rollout", "reproduce")).attempts[0].stage == "judge"
        assert a_run(skipped=()).attempts[0].stage == "rubric"


class TestClaim:
    def test_running_is_said_but_not_that_the_script_started(self):
        run = claimed(a_run(), "reproduce", 1, "wk_1", LATER).run
        assert (run.status, run.execution_state, run.started_at) == ("running", "queued", LATER)

    def test_started_at_stays_that_of_the_first_claim(self):
        assert at_judge().started_at == NOW

    @pytest.mark.parametrize(
        "run", [at_work(a_run()), cancel_asked(a_run(), NOW).run, replace(a_run(), cancel_requested=True)]
    )
    def test_what_runs_already_or_was_cancelled_is_not_claimed(self, run):
        assert claimed(run, "reproduce", 1, "wk_2", LATER) is None


class TestEnd:
    def test_the_next_stage_waits_with_its_own_count(self):
        run = at_judge()
        assert [(a.stage, a.number, a.cause) for a in run.attempts] == [
            ("reproduce", 1, "first"),
            ("judge", 1, "first"),
        ]
        assert run.status == "running"

    def test_messages_come_in_order_before_the_end(self):
        ending = Ending("failed", {}, run_status="failed", messages=(("error", "one"), ("info", "two")))
        assert said(after(at_work(a_run()), ending)) == [
            ("error", "reproduce", "one", False),
            ("info", "reproduce", "two", False),
            ("error", "run", "failed", True),
        ]

    @pytest.mark.parametrize("status, level", [("completed", "success"), ("failed", "error"), ("cancelled", "warning")])
    def test_the_end_of_the_log_says_the_status(self, status, level):
        assert said(after(at_work(a_run()), Ending("succeeded", {}, run_status=status)))[-1] == (
            level,
            "run",
            status,
            True,
        )

    def test_a_stage_that_goes_on_ends_no_log(self):
        assert not said(after(at_work(a_run()), Ending("succeeded", {}, next_stage="judge")))

    def test_progress_never_goes_down_and_is_1_when_completed(self):
        run = at_judge(progress=0.9)
        assert after(run, Ending("failed", {}, again=True, progress=0.2), "judge").run.progress == 0.9
        assert after(run, Ending("succeeded", {}, run_status="completed", progress=0.2), "judge").run.progress == 1.0
        assert after(run, Ending("failed", {}, run_status="failed"), "judge").run.progress == 0.9

    def test_another_automatic_attempt_waits_and_the_run_has_no_diagnostic_yet(self):
        run = after(at_work(a_run()), Ending("failed", {}, diagnostic=LOST, again=True)).run
        assert [(a.number, a.state, a.cause) for a in run.attempts] == [
            (1, "failed", "first"),
            (2, "pending", "automatic"),
        ]
        assert (run.status, run.diagnostic, run.attempts[0].diagnostic) == ("running", None, LOST)
        assert run.automatic_attempts("reproduce") == 1

    def test_only_the_worker_that_has_the_attempt_ends_it(self):
        run = at_work(a_run())
        assert ended(run, "reproduce", 1, "wk_2", Ending("succeeded", {}), LATER) is None
        assert ended(run, "reproduce", 2, "wk_1", Ending("succeeded", {}), LATER) is None
        assert ended(a_run(), "reproduce", 1, "wk_1", Ending("succeeded", {}), LATER) is None

    def test_a_degraded_reproduction_degrades_the_completed_run(self):
        run = at_judge(degraded=True, diagnostic=EXIT_3, execution_state="failed")
        done = after(run, Ending("succeeded", {}, run_status="completed", score=0.5, coverage=1.0), "judge").run
        assert (done.degraded, done.diagnostic, done.execution_state) == (True, EXIT_3, "failed")
        assert (done.score, done.coverage) == (0.5, 1.0)


class TestExecutionState:
    def test_another_attempt_starts_from_queued(self):
        run = replace(at_work(a_run()), execution_state="running")
        assert after(run, Ending("failed", {}, again=True, execution_state="failed")).run.execution_state == "queued"

    @pytest.mark.parametrize(
        "ending",
        [
            Ending("failed", {}, diagnostic=LOST, run_status="failed", execution_state="failed"),
            Ending("failed", {}, diagnostic=LOST, again=True),
            Ending("cancelled", {}, run_status="cancelled", execution_state="canceled"),
        ],
    )
    def test_a_later_stage_says_nothing_about_the_script(self, ending):
        assert after(at_judge(), ending, "judge").run.execution_state == "succeeded"

    def test_a_run_that_fails_has_no_running_script(self):
        run = replace(at_work(a_run()), execution_state="running")
        assert after(run, Ending("failed", {}, run_status="failed")).run.execution_state == "failed"

    def test_without_a_reproduction_the_judge_may_say_it(self):
        run = at_work(a_run(skipped=("rubric", "rollout", "reproduce")), "judge")
        ending = Ending("succeeded", {}, run_status="completed", execution_state="succeeded")
        assert after(run, ending, "judge").run.execution_state == "succeeded"


class TestCancel:
    def test_a_waiting_run_ends_at_once(self):
        step = cancel_asked(a_run(), LATER)
        assert (step.run.status, step.run.execution_state, step.run.finished_at) == ("cancelled", "canceled", LATER)
        assert [a.state for a in step.run.attempts] == ["cancelled"]
        assert said(step) == [("warning", "run", "cancelled", True)]

    def test_between_two_stages_what_the_script_did_stays_true(self):
        run = after(at_work(a_run()), Ending("succeeded", {}, next_stage="judge", execution_state="succeeded")).run
        step = cancel_asked(run, LATER)
        assert (step.run.status, step.run.execution_state) == ("cancelled", "succeeded")
        assert [a.state for a in step.run.attempts] == ["succeeded", "cancelled"]

    def test_a_working_stage_is_told_once(self):
        step = cancel_asked(at_work(a_run()), LATER)
        assert (step.run.status, step.run.cancel_requested) == ("running", True)
        assert said(step) == [("warning", "run", "cancel requested", False)]
        assert cancel_asked(step.run, LATER).lines == ()

    @pytest.mark.parametrize(
        "ending",
        [
            Ending("failed", {}, diagnostic=LOST, again=True),
            Ending("succeeded", {}, next_stage="judge"),
            Ending("succeeded", {}, run_status="completed", results={"ors_score": 1}, score=1.0),
            Ending("failed", {}, diagnostic=LOST, run_status="failed"),
            Ending("cancelled", {}, run_status="cancelled", execution_state="canceled"),
        ],
    )
    def test_a_promised_cancel_is_kept_whatever_the_stage_says(self, ending):
        run = cancel_asked(at_work(a_run()), NOW).run
        step = after(run, replace(ending, evidence=(EVIDENCE,), assessments=(ASSESSMENT,)))
        assert (step.run.status, step.run.score, step.run.diagnostic) == ("cancelled", None, None)
        assert (step.results, step.assessments, step.evidence) == (None, (), (EVIDENCE,))
        assert all(a.state != "pending" for a in step.run.attempts)
        assert said(step)[-1] == ("warning", "run", "cancelled", True)

    @pytest.mark.parametrize("status", ["completed", "failed"])
    def test_what_has_ended_otherwise_is_refused(self, status):
        run = after(at_work(a_run()), Ending("succeeded", {}, run_status=status)).run
        with pytest.raises(Conflict) as refused:
            cancel_asked(run, LATER)
        assert (refused.value.code, refused.value.facts) == ("run_not_active", {"status": status})


class TestRetry:
    def failed(self, stage="judge", **reproduced):
        run = at_judge(**reproduced) if stage == "judge" else at_work(a_run())
        return after(run, Ending("failed", {}, diagnostic=LOST, run_status="failed"), stage).run

    def test_the_stage_waits_again_and_earlier_attempts_stay(self):
        run = retried(self.failed("reproduce"), "reproduce", LATER).run
        assert (run.status, run.finished_at, run.diagnostic, run.started_at) == ("queued", None, None, NOW)
        assert [(a.number, a.state, a.cause) for a in run.attempts] == [(1, "failed", "first"), (2, "pending", "asked")]

    def test_from_reproduce_the_script_is_queued_again(self):
        run = retried(self.failed(degraded=True, diagnostic=EXIT_3, execution_state="failed"), "reproduce", LATER).run
        assert (run.execution_state, run.degraded, run.diagnostic) == ("queued", False, None)

    def test_from_the_judge_what_reproduce_found_stays_true(self):
        run = retried(self.failed(degraded=True, diagnostic=EXIT_3, execution_state="failed"), "judge", LATER).run
        assert (run.execution_state, run.degraded, run.diagnostic) == ("failed", True, EXIT_3)

    def test_the_judge_after_a_retried_reproduction_counts_on(self):
        run = at_work(retried(self.failed(), "reproduce", LATER).run, "reproduce", 2)
        run = after(run, Ending("succeeded", {}, next_stage="judge"), "reproduce", 2).run
        assert [(a.stage, a.number, a.cause) for a in run.attempts][2:] == [
            ("reproduce", 2, "asked"),
            ("judge", 2, "first"),
        ]

    def test_automatic_attempts_are_counted_anew(self):
        run = self.failed("reproduce")
        run = at_work(retried(run, "reproduce", LATER).run, "reproduce", 2)
        assert run.automatic_attempts("reproduce") == 0

    def test_a_cancelled_run_is_no_longer_to_be_cancelled(self):
        run = retried(cancel_asked(a_run(), NOW).run, "reproduce", LATER).run
        assert not run.cancel_requested
        assert claimed(run, "reproduce", 2, "wk_1", LATER)

    @pytest.mark.parametrize("run", [a_run(), at_work(a_run())])
    def test_what_goes_on_is_refused(self, run):
        with pytest.raises(Conflict) as refused:
            retried(run, "reproduce", LATER)
        assert refused.value.code == "run_not_retryable"
