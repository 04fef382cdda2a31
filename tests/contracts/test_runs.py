"""The contract of `Runs`. The rules of a run's life are tested one by one in tests/domain/test_run_life.py."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from runner.domain import ids
from runner.domain.errors import Conflict, NotFound
from runner.domain.run import Ending
from runner.ports import each_page

HOUR = 3600


class RunsContract:
    @pytest.fixture
    def run(self, site, samples):
        return samples.launched(site)

    # ------------------------------------------------------------ launch
    def test_a_launched_run_waits_with_a_first_attempt(self, site, samples):
        given = samples.run(*samples.stored_paper(site), rerun_of="run_x")
        site.runs.add([given], [samples.audit("launch", given.run_id)], None)
        run = site.runs.get(given.run_id)
        assert replace(run, attempts=()) == given
        assert [(a.stage, a.number, a.state, a.cause) for a in run.attempts] == [("reproduce", 1, "pending", "first")]
        assert site.runs.pending(10) == run.attempts
        assert site.audit()[-1] == samples.audit("launch", given.run_id)

    def test_all_runs_of_a_launch_are_stored_or_none(self, site, samples):
        stored = samples.stored_paper(site)
        good = samples.run(*stored)
        for bad in (
            samples.run(*stored, rubric_id=ids.new("rub")),
            samples.run(*stored, submission_id=ids.new("sub")),
            samples.run(*stored, repository_id=ids.new("repo")),
        ):
            with pytest.raises(Conflict) as refused:
                site.runs.add([good, bad], [samples.audit("launch")], ("key", "sha", {}))
            assert refused.value.code == "paper_changed"
        with pytest.raises(NotFound):
            site.runs.get(good.run_id)
        assert site.runs.idempotent_answer("key", samples.now) is None
        assert "launch" not in [row.action for row in site.audit()]

    def test_an_idempotency_key_is_kept_for_a_day(self, site, samples):
        stored = samples.stored_paper(site)
        answer = {"job_ids": ["run_1"], "z": None, "a": 0.1}
        site.runs.add([samples.run(*stored)], [], ("key", "sha", answer))
        assert site.runs.idempotent_answer("key", samples.after(24 * HOUR - 1)) == ("sha", answer)
        assert site.runs.idempotent_answer("key", samples.after(24 * HOUR)) is None
        assert site.runs.idempotent_answer("other", samples.now) is None
        with pytest.raises(Conflict) as refused:
            site.runs.add([samples.run(*stored, created_at=samples.after(HOUR))], [], ("key", "sha", answer))
        assert refused.value.code == "idempotency_key_taken"
        later = samples.run(*stored, created_at=samples.after(24 * HOUR))
        site.runs.add([later], [], ("key", "sha 2", {}))
        assert site.runs.idempotent_answer("key", later.created_at) == ("sha 2", {})

    def test_of_parallel_launches_with_one_key_one_is_stored(self, site, samples):
        stored = samples.stored_paper(site)

        def launch(_):
            try:
                site.runs.add([samples.run(*stored)], [], ("key", "sha", {}))
                return "stored"
            except Conflict as conflict:
                return conflict.code

        with ThreadPoolExecutor(10) as threads:
            answers = sorted(threads.map(launch, range(20)))
        assert answers == ["idempotency_key_taken"] * 19 + ["stored"]
        assert len(site.runs.pending(100)) == 1

    def test_delete_against_launch_leaves_no_half_state(self, site, samples):
        for _ in range(5):
            stored = samples.stored_paper(site)
            run = samples.run(*stored)
            start = threading.Barrier(2)

            def attempt(work, start=start):
                start.wait()
                try:
                    work()
                    return True
                except Conflict:
                    return False

            with ThreadPoolExecutor(2) as threads:
                launched = threads.submit(attempt, lambda run=run: site.runs.add([run], [], None))
                paper_id = stored[0].paper_id
                deleted = threads.submit(attempt, lambda p=paper_id: site.papers.delete(p, samples.audit()))
            assert launched.result() != deleted.result()
            if launched.result():
                assert site.rubrics.get(site.runs.get(run.run_id).rubric_id)

    # ------------------------------------------------------------ claim and heartbeat
    def test_a_claimed_attempt_is_running_and_no_longer_waits(self, site, samples, run):
        claimed = site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.after(1))
        assert claimed.run == site.runs.get(run.run_id)
        assert claimed.attempt == claimed.run.attempts[0]
        assert (claimed.attempt.state, claimed.attempt.worker_id) == ("running", "wk_1")
        assert claimed.attempt.started_at == claimed.attempt.heartbeat_at == claimed.run.started_at == samples.after(1)
        assert (claimed.run.status, claimed.run.execution_state) == ("running", "queued")
        assert site.runs.pending(10) == ()

    def test_an_attempt_is_claimed_once(self, site, samples, run):
        with ThreadPoolExecutor(8) as threads:
            claims = list(
                threads.map(lambda n: site.runs.claim(run.run_id, "reproduce", 1, f"wk_{n}", samples.now), range(16))
            )
        winner = [claim for claim in claims if claim]
        assert len(winner) == 1
        assert site.runs.get(run.run_id) == winner[0].run

    @pytest.mark.parametrize("stage, number", [("judge", 1), ("reproduce", 2), ("reproduce", 0)])
    def test_an_attempt_that_is_not_there_cannot_be_claimed(self, site, samples, run, stage, number):
        assert site.runs.claim(run.run_id, stage, number, "wk_1", samples.now) is None
        assert site.runs.claim(ids.new("run"), "reproduce", 1, "wk_1", samples.now) is None

    def test_a_heartbeat_counts_for_the_worker_that_has_the_attempt(self, site, samples, run):
        assert not site.runs.beat(run.run_id, "reproduce", 1, "wk_1", samples.after(1))
        site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.now)
        assert site.runs.beat(run.run_id, "reproduce", 1, "wk_1", samples.after(10))
        assert not site.runs.beat(run.run_id, "reproduce", 1, "wk_2", samples.after(11))
        assert not site.runs.beat(ids.new("run"), "reproduce", 1, "wk_1", samples.after(11))
        assert site.runs.lost(samples.after(10)) == ()
        assert [a.job_id for a in site.runs.lost(samples.after(10.000001))] == [f"{run.run_id}-reproduce-1"]
        assert site.runs.get(run.run_id).attempts[0].heartbeat_at == samples.after(10)

    def test_a_lost_worker_cannot_end_what_another_has_taken_over(self, site, samples, run):
        site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.now)
        gone = Ending("failed", {"code": "worker_lost"}, diagnostic=samples.diagnostic(), again=True)
        assert site.runs.finish(run.run_id, "reproduce", 1, "wk_1", gone, samples.after(30))
        before = site.runs.get(run.run_id)
        late = Ending("succeeded", {"exit_code": 0}, next_stage="judge", evidence=(samples.evidence(run),))
        assert not site.runs.finish(run.run_id, "reproduce", 1, "wk_1", late, samples.after(40))
        assert not site.runs.finish(run.run_id, "reproduce", 2, "wk_1", late, samples.after(40))
        assert not site.runs.beat(run.run_id, "reproduce", 1, "wk_1", samples.after(40))
        assert site.runs.get(run.run_id) == before
        assert site.runs.evidence(run.run_id, None, 10).items == ()

    # ------------------------------------------------------------ ends
    def test_a_run_goes_through_its_stages_to_its_results(self, site, samples, run):
        evidence = [samples.evidence(run, name) for name in "abc"]
        assessments = (samples.assessment(run, "claim-two"), samples.assessment(run, "claim-one"))
        site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.now)
        site.runs.script_started(run.run_id, samples.after(1))
        assert site.runs.get(run.run_id).execution_state == "running"
        outcome = {"exit_code": 0, "produced": [{"path": "再現.csv"}], "elapsed_sec": 0.1}
        first = Ending(
            "succeeded",
            outcome,
            next_stage="judge",
            execution_state="succeeded",
            progress=0.5,
            evidence=tuple(evidence[:2]),
        )
        assert site.runs.finish(run.run_id, "reproduce", 1, "wk_1", first, samples.after(2))
        assert [(a.stage, a.number, a.cause) for a in site.runs.pending(10)] == [("judge", 1, "first")]
        site.runs.claim(run.run_id, "judge", 1, "wk_2", samples.after(3))
        results = {"ors_score": 0.625, "leaves": [{"id": "leaf", "score": None}], "claims": []}
        last = Ending(
            "succeeded",
            {},
            run_status="completed",
            score=0.625,
            coverage=1.0,
            results=results,
            evidence=(evidence[2],),
            assessments=assessments,
        )
        assert site.runs.finish(run.run_id, "judge", 1, "wk_2", last, samples.after(4))
        done = site.runs.get(run.run_id)
        assert (done.status, done.execution_state, done.progress) == ("completed", "succeeded", 1.0)
        assert (done.score, done.coverage, done.finished_at) == (0.625, 1.0, samples.after(4))
        assert [(a.stage, a.state, a.outcome) for a in done.attempts] == [
            ("reproduce", "succeeded", outcome),
            ("judge", "succeeded", {}),
        ]
        assert site.runs.results(run.run_id) == results
        assert site.runs.assessments(run.run_id) == assessments
        assert list(each_page(lambda after: site.runs.evidence(run.run_id, after, 2))) == evidence

    def test_an_artifact_is_added_behind_the_others(self, site, samples, run):
        added = [samples.evidence(run, name) for name in "ab"]
        for evidence in added:
            site.runs.add_evidence(evidence)
        assert site.runs.evidence(run.run_id, None, 10).items == tuple(added)
        with pytest.raises(NotFound):
            site.runs.add_evidence(replace(samples.evidence(run), run_id=ids.new("run")))

    def test_a_failed_run_is_tried_again_and_keeps_what_it_had(self, site, samples, run):
        evidence = samples.evidence(run)
        site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.now)
        broke = Ending(
            "failed", {"code": "x"}, diagnostic=samples.diagnostic(), run_status="failed", evidence=(evidence,)
        )
        site.runs.finish(run.run_id, "reproduce", 1, "wk_1", broke, samples.after(1))
        assert site.runs.get(run.run_id).diagnostic == samples.diagnostic()
        site.runs.retry(run.run_id, "reproduce", samples.audit("retry", run.run_id), samples.after(2))
        again = site.runs.get(run.run_id)
        assert (again.status, again.finished_at, again.diagnostic) == ("queued", None, None)
        assert [(a.number, a.cause, a.state) for a in again.attempts] == [
            (1, "first", "failed"),
            (2, "asked", "pending"),
        ]
        assert again.attempts[0].outcome == {"code": "x"}
        assert site.runs.evidence(run.run_id, None, 10).items == (evidence,)
        assert site.audit()[-1].action == "retry"
        assert site.runs.claim(run.run_id, "reproduce", 2, "wk_1", samples.after(3))

    def test_an_active_or_completed_run_cannot_be_tried_again(self, site, samples, run):
        with pytest.raises(Conflict) as refused:
            site.runs.retry(run.run_id, "reproduce", samples.audit(), samples.now)
        assert (refused.value.code, refused.value.facts["status"]) == ("run_not_retryable", "queued")

    # ------------------------------------------------------------ cancel
    def test_a_waiting_run_is_cancelled_at_once(self, site, samples, run):
        assert site.runs.request_cancel(run.run_id, samples.audit("cancel"), samples.after(1)) == "cancelled"
        after = site.runs.get(run.run_id)
        assert (after.status, after.execution_state, after.finished_at) == ("cancelled", "canceled", samples.after(1))
        assert after.attempts[0].state == "cancelled"
        assert site.runs.pending(10) == ()
        assert site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.after(2)) is None
        trail = len(site.audit())
        assert site.runs.request_cancel(run.run_id, samples.audit("cancel"), samples.after(3)) == "cancelled"
        assert len(site.audit()) == trail

    def test_a_running_stage_is_told_and_then_the_run_is_cancelled(self, site, samples, run):
        site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.now)
        assert not site.runs.cancel_requested(run.run_id)
        assert site.runs.request_cancel(run.run_id, samples.audit("cancel"), samples.after(1)) == "running"
        assert site.runs.cancel_requested(run.run_id)
        again = Ending("failed", {}, diagnostic=samples.diagnostic(), again=True)
        assert site.runs.finish(run.run_id, "reproduce", 1, "wk_1", again, samples.after(2))
        assert site.runs.get(run.run_id).status == "cancelled"
        with pytest.raises(NotFound):
            site.runs.cancel_requested(ids.new("run"))

    def test_cancel_against_finish_has_one_winner(self, site, samples):
        for _ in range(5):
            run = samples.launched(site)
            site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.now)
            start = threading.Barrier(2)
            ending = Ending("succeeded", {}, run_status="completed", results={})

            def cancel(run_id=run.run_id, start=start):
                start.wait()
                try:
                    return site.runs.request_cancel(run_id, samples.audit(), samples.now)
                except Conflict as conflict:
                    return conflict.facts["status"]

            def finish(run_id=run.run_id, start=start, ending=ending):
                start.wait()
                return site.runs.finish(run_id, "reproduce", 1, "wk_1", ending, samples.now)

            with ThreadPoolExecutor(2) as threads:
                told, written = threads.submit(cancel), threads.submit(finish)
            assert written.result()
            expected = {"running": "cancelled", "completed": "completed"}[told.result()]
            assert site.runs.get(run.run_id).status == expected
            assert (site.runs.results(run.run_id) is None) == (expected == "cancelled")

    # ------------------------------------------------------------ lists
    def test_an_unknown_or_impossible_run_is_not_found(self, site, samples):
        for run_id in ("", "nonsense", ids.new("run"), "\ud800", "a\0b"):
            for read in (
                lambda run_id=run_id: site.runs.get(run_id),
                lambda run_id=run_id: site.runs.request_cancel(run_id, samples.audit(), samples.now),
                lambda run_id=run_id: site.runs.retry(run_id, "judge", samples.audit(), samples.now),
            ):
                with pytest.raises(NotFound) as refused:
                    read()
                assert refused.value.code == "run_not_found"

    def test_pages_are_newest_first_and_keep_their_place_under_inserts(self, site, samples):
        stored = samples.stored_paper(site)
        first = [samples.run(*stored, created_at=samples.after(number // 2)) for number in range(7)]
        site.runs.add(first, [], None)
        seen, after = [], None
        for _ in range(4):
            page = site.runs.page(paper_id=None, statuses=(), stage=None, after=after, limit=2)
            seen += page.items
            site.runs.add([samples.run(*stored, created_at=samples.after(99))], [], None)
            after = page.next_after
        ordered = sorted(first, key=lambda run: (run.created_at, run.run_id), reverse=True)
        assert [run.run_id for run in seen] == [run.run_id for run in ordered]
        assert after is None
        assert all(run == site.runs.get(run.run_id) for run in seen)

    def test_filters_narrow_the_list(self, site, samples):
        queued, running, cancelled = (samples.launched(site, created_at=samples.after(-n)) for n in range(3))
        site.runs.claim(running.run_id, "reproduce", 1, "wk_1", samples.now)
        site.runs.request_cancel(cancelled.run_id, samples.audit(), samples.now)

        def listed(paper_id=None, statuses=(), stage=None, **rest):
            page = site.runs.page(paper_id=paper_id, statuses=statuses, stage=stage, after=None, limit=10, **rest)
            return [run.run_id for run in page.items]

        assert listed() == [queued.run_id, running.run_id, cancelled.run_id]
        assert listed(statuses=["queued", "cancelled"]) == [queued.run_id, cancelled.run_id]
        assert listed(paper_id=running.paper_id) == [running.run_id]
        assert listed(stage="reproduce") == [queued.run_id, running.run_id]
        assert listed(stage="judge") == []

    def test_runs_of_private_papers_are_left_out_by_the_paper_of_today(self, site, samples):
        open_run = samples.launched(site)
        paper, rubric, submission = samples.stored_paper(site, visibility="private")
        hidden = samples.run(paper, rubric, submission)
        site.runs.add([hidden], [], None)

        def public():
            page = site.runs.page(paper_id=None, statuses=(), stage=None, after=None, limit=10, with_private=False)
            return {run.run_id for run in page.items}

        assert public() == {open_run.run_id}
        site.papers.change(paper.paper_id, lambda paper: replace(paper, visibility="public"), samples.audit())
        assert public() == {open_run.run_id, hidden.run_id}
        site.runs.request_cancel(hidden.run_id, samples.audit(), samples.now)
        site.papers.delete(paper.paper_id, samples.audit())
        assert public() == {open_run.run_id}, "a deleted paper's run keeps what the paper was at launch"

    def test_waiting_attempts_come_oldest_first_and_no_more_than_asked(self, site, samples):
        runs = [samples.launched(site, created_at=samples.after(-number)) for number in range(4)]
        assert [attempt.run_id for attempt in site.runs.pending(3)] == [run.run_id for run in reversed(runs)][:3]


class TestMemory(RunsContract):
    @pytest.fixture
    def site(self, memory_site):
        return memory_site


class TestSqlite(RunsContract):
    @pytest.fixture
    def site(self, sqlite_site):
        return sqlite_site


class TestPostgreSQL(RunsContract):
    @pytest.fixture
    def site(self, postgresql_site):
        return postgresql_site
