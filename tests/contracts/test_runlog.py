"""The contract of `RunLog`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from runner.domain import ids
from runner.domain.errors import Conflict, NotFound
from runner.domain.run import Ending, LogLine


class RunLogContract:
    @pytest.fixture
    def run(self, site, samples):
        return samples.launched(site)

    def line(self, samples, msg="hello", second=0.0, level="info", stage="reproduce"):
        return (samples.after(second), level, stage, msg)

    def test_a_launched_run_has_a_first_line(self, site, samples, run):
        assert site.log.read(run.run_id, -1, 10) == (LogLine(0, run.created_at, "info", "run", "queued"),)

    def test_lines_are_numbered_and_come_back_as_they_were(self, site, samples, run):
        lines = [
            self.line(samples, "<b>再現</b> \U0001f642 ' \" \\ %"),
            self.line(samples, "", 0.000001, "error", "judge"),
            self.line(samples, "x" * 8192, -1, "debug", "rubric"),
        ]
        assert site.log.append(run.run_id, lines) == 3
        assert site.log.read(run.run_id, 0, 10) == tuple(LogLine(seq, *line) for seq, line in enumerate(lines, 1))

    def test_reading_goes_on_from_any_number(self, site, samples, run):
        site.log.append(run.run_id, [self.line(samples, str(seq)) for seq in range(1, 10)])
        assert [line.seq for line in site.log.read(run.run_id, -1, 3)] == [0, 1, 2]
        assert [line.msg for line in site.log.read(run.run_id, 6, 100)] == ["7", "8", "9"]
        assert site.log.read(run.run_id, 9, 10) == site.log.read(run.run_id, 999_999, 10) == ()

    def test_the_tail_is_the_last_lines_in_order(self, site, samples, run):
        site.log.append(run.run_id, [self.line(samples, str(seq)) for seq in range(1, 10)])
        assert [line.seq for line in site.log.tail(run.run_id, 3)] == [7, 8, 9]
        assert len(site.log.tail(run.run_id, 99)) == 10
        assert site.log.tail(run.run_id, 0) == ()
        assert site.log.tail(ids.new("run"), 5) == ()

    def test_lengths_of_many_runs_come_in_one_answer(self, site, samples, run):
        other = samples.launched(site)
        site.log.append(run.run_id, [self.line(samples), self.line(samples)])
        assert site.log.lengths([run.run_id, other.run_id, ids.new("run")]) == {run.run_id: 3, other.run_id: 1}
        assert site.log.lengths([]) == {}

    def test_no_lines_change_nothing(self, site, samples, run):
        assert site.log.append(run.run_id, []) == 0
        assert len(site.log.read(run.run_id, -1, 10)) == 1

    def test_an_unknown_run_takes_no_lines_and_has_none(self, site, samples):
        run_id = ids.new("run")
        with pytest.raises(NotFound) as refused:
            site.log.append(run_id, [self.line(samples)])
        assert refused.value.code == "run_not_found"
        assert site.log.read(run_id, -1, 10) == ()

    def test_an_attempt_writes_only_while_it_runs_under_its_worker(self, site, samples, run):
        stage, now = run.needed()[0], samples.after(1)
        claimed = site.runs.claim(run.run_id, stage, 1, "worker", now)
        assert site.log.append(run.run_id, [self.line(samples, "mine")], claimed.attempt) == 1
        ending = Ending(state="failed", outcome={}, again=True)
        assert site.runs.finish(run.run_id, stage, 1, "worker", ending, now)
        before = site.log.read(run.run_id, -1, 10)
        with pytest.raises(Conflict) as refused:
            site.log.append(run.run_id, [self.line(samples, "too late")], claimed.attempt)
        assert refused.value.code == "attempt_lost"
        assert site.log.read(run.run_id, -1, 10) == before

    def test_runs_are_numbered_apart(self, site, samples, run):
        other = samples.launched(site)
        assert site.log.append(run.run_id, [self.line(samples)]) == 1
        assert site.log.append(other.run_id, [self.line(samples)]) == 1

    def test_several_writers_leave_no_gap_and_keep_their_own_order(self, site, samples, run):
        def write(writer):
            return [
                site.log.append(run.run_id, [self.line(samples, f"{writer} {10 * batch + n}") for n in range(10)])
                for batch in range(10)
            ]

        with ThreadPoolExecutor(6) as threads:
            numbers = sorted(number for written in threads.map(write, range(6)) for number in written)
        lines = site.log.read(run.run_id, 0, 10_000)
        assert [line.seq for line in lines] == list(range(1, 601))
        assert numbers == list(range(10, 601, 10))
        for writer in range(6):
            own = [line.msg for line in lines if line.msg.startswith(f"{writer} ")]
            assert own == [f"{writer} {n}" for n in range(100)]

    def test_the_end_of_the_run_is_the_last_line(self, site, samples, run):
        site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.now)
        site.log.append(run.run_id, [self.line(samples, "out")])
        ending = Ending("failed", {}, run_status="failed", messages=(("error", "broke"), ("info", "left")))
        site.runs.finish(run.run_id, "reproduce", 1, "wk_1", ending, samples.after(1))
        told = [(line.seq, line.level, line.stage, line.msg, line.done) for line in site.log.read(run.run_id, 1, 10)]
        assert told == [
            (2, "error", "reproduce", "broke", False),
            (3, "info", "reproduce", "left", False),
            (4, "error", "run", "failed", True),
        ]

    def test_after_a_retry_the_log_goes_on_behind_the_old_end(self, site, samples, run):
        site.runs.request_cancel(run.run_id, samples.audit(), samples.now)
        end = site.log.tail(run.run_id, 1)[0]
        assert (end.done, end.level, end.msg) == (True, "warning", "cancelled")
        site.runs.retry(run.run_id, "reproduce", samples.audit(), samples.after(1))
        assert site.log.append(run.run_id, [self.line(samples, "second try")]) > end.seq
        assert site.log.read(run.run_id, end.seq - 1, 1) == (end,)


class TestMemory(RunLogContract):
    @pytest.fixture
    def site(self, memory_site):
        return memory_site


class TestSqlite(RunLogContract):
    @pytest.fixture
    def site(self, sqlite_site):
        return sqlite_site


class TestPostgreSQL(RunLogContract):
    @pytest.fixture
    def site(self, postgresql_site):
        return postgresql_site
