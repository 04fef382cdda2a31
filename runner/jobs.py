"""What the queue calls: one function per stage, taking ids, safe to run twice.

A job claims its attempt, lets the stage work, and records the outcome with what follows in one transaction. Whoever
comes second, or comes back after having been given up, changes nothing.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable

import runner.stages.judge_run
import runner.stages.reproduce
from runner.domain.errors import Unavailable
from runner.domain.report_files import ReportRequest
from runner.domain.run import Ending, StageName
from runner.ports import Claimed, Ports
from runner.settings import load
from runner.stages import workplace
from runner.stages.endings import broke
from runner.stages.report_run import render_missing
from runner.stages.shift import Shift
from runner.usecases import reports, runs
from runner.usecases.launch import tell_queue
from runner.wiring import build

log = logging.getLogger("reprise.jobs")

STAGES: dict[StageName, Callable[[Ports, Claimed, Shift], Ending]] = {
    "reproduce": runner.stages.reproduce.reproduce,
    "judge": runner.stages.judge_run.judge_run,
}


def reproduce(run_id: str, number: int) -> None:
    work(build(load()), run_id, "reproduce", number)


def judge(run_id: str, number: int) -> None:
    work(build(load()), run_id, "judge", number)


def report(run_id: str, languages: list[str], formats: list[str], output_root: str) -> None:
    render_report(build(load()), run_id, ReportRequest(tuple(languages), tuple(formats), output_root))


def render_report(ports: Ports, run_id: str, request: ReportRequest) -> None:
    """Renders the files of `request` that are not stored yet. A run without results has a report that says so."""
    run = ports.runs.get(run_id)
    results = runs.results(ports, run_id=run_id) if run.status == "completed" else None
    render_missing(ports, run, results, reports.file_keys(ports, run, request))


def work(ports: Ports, run_id: str, stage: StageName, number: int) -> None:
    """Carries out one attempt if it is still to be had, then tells the queue what is next."""
    worker_id = f"{socket.gethostname()}-{os.getpid()}"
    claimed = ports.runs.claim(run_id, stage, number, worker_id, ports.clock.now())
    if claimed is None:
        return
    with Shift(ports, claimed.attempt, worker_id) as shift:
        ending = _carry_out(ports, claimed, shift)
        written = not shift.lost and ports.runs.finish(run_id, stage, number, worker_id, ending, ports.clock.now())
    if not written:
        return
    if ports.runs.get(run_id).is_final:
        workplace.clear(ports, run_id)
    else:
        tell_queue(ports, run_id)


def _carry_out(ports: Ports, claimed: Claimed, shift: Shift) -> Ending:
    try:
        return STAGES[claimed.attempt.stage](ports, claimed, shift)
    except (Unavailable, OSError):
        log.exception("%s: storage failed", claimed.attempt.job_id)
        return broke(claimed, "storage_unavailable")
    except Exception:
        log.exception("%s: failed inside Reprise", claimed.attempt.job_id)
        return broke(claimed, "internal_error")
