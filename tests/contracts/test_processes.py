"""Several processes on one database."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import pytest

from runner.domain.access import AuditRow

APPEND = """
import sys
from datetime import UTC, datetime
from runner.adapters.sql.engine import Database
from runner.adapters.sql.runlog import SqlRunLog
url, run_id, name = sys.argv[1:]
log = SqlRunLog(Database(url))
for number in range(40):
    log.append(run_id, [(datetime.now(UTC), "info", "reproduce", f"{name} {number} {part}") for part in "abc"])
"""
CLAIM = """
import sys
from datetime import UTC, datetime
from runner.adapters.sql.engine import Database
from runner.adapters.sql.runs import SqlRuns
url, worker_id, *run_ids = sys.argv[1:]
runs = SqlRuns(Database(url))
print(*(run_id for run_id in run_ids if runs.claim(run_id, "reproduce", 1, worker_id, datetime.now(UTC))))
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request):
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def site(url, open_site):
    return open_site(url)


def outputs(script, url, *arguments):
    """What equal processes with different arguments print, started together."""
    started = [
        subprocess.Popen([sys.executable, "-c", script, url, *each], stdout=subprocess.PIPE, text=True)
        for each in arguments
    ]
    told = [process.communicate()[0] for process in started]
    assert [process.returncode for process in started] == [0] * len(started)
    return told


def test_log_writers_leave_no_gap_and_batches_stay_together(site, url, samples):
    run = samples.launched(site)
    outputs(APPEND, url, *((run.run_id, f"writer{number}") for number in range(4)))
    lines = site.log.read(run.run_id, 0, 10_000)
    assert [line.seq for line in lines] == list(range(1, 481))
    batches = [tuple(line.msg for line in lines[start : start + 3]) for start in range(0, 480, 3)]
    assert set(batches) == {tuple(f"writer{w} {n} {part}" for part in "abc") for w in range(4) for n in range(40)}


def test_each_attempt_is_claimed_by_one_process(site, url, samples):
    run_ids = [samples.launched(site).run_id for _ in range(30)]
    told = outputs(CLAIM, url, *((f"wk_{number}", *run_ids) for number in range(4)))
    assert sorted(" ".join(told).split()) == sorted(run_ids)
    for number, claimed in enumerate(told):
        assert {site.runs.get(run_id).attempts[0].worker_id for run_id in claimed.split()} <= {f"wk_{number}"}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python warns of every fork in a process with threads")
def test_a_forked_child_and_its_parent_do_not_share_connections(site, samples):
    """RQ's worker forks once per job."""
    site.papers.add(samples.paper("before"), samples.audit())

    def work():
        for number in range(20):
            site.papers.add(samples.paper(f"child-{number}"), samples.audit())

    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    for number in range(20):
        site.papers.change("before", lambda paper: paper, AuditRow(samples.now, None, f"{number}", "before"))
    child.join()
    assert child.exitcode == 0
    page = site.papers.page(words=(), sort="paper_id", descending=False, after=None, limit=100)
    assert len(page.items) == 21
    assert len(site.audit()) == 41
