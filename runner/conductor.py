"""The loop that keeps runs going: it gives up on lost workers and re-queues what the queue forgot.

One conductor leads, others stand by: the lease in SQL says who. The queue carries work only; SQL says what is to do.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
from datetime import timedelta

from runner.domain.errors import Unavailable
from runner.domain.run import Attempt
from runner.ports import Claimed, Ports
from runner.stages import workplace
from runner.stages.endings import broke
from runner.usecases.launch import tell_queue

log = logging.getLogger("reprise.conductor")

CYCLE_S = 1.0
LEASE = timedelta(seconds=10)
LOST_AFTER = timedelta(seconds=20)
"""Workers beat every 3 s; with this and the cycle a lost worker is noticed in well under 30 s."""
SILENT_AFTER = timedelta(seconds=7)
"""Enough to give up on a run that somebody has cancelled: that must be over within 10 s."""
SWEEP_EVERY_S = 30.0
FORGOTTEN_AFTER = timedelta(seconds=2)
BATCH = 500


def conduct(ports: Ports, stop: threading.Event) -> None:
    """Runs until `stop` is set. A database or queue that is away is waited for."""
    holder = f"{socket.gethostname()}-{os.getpid()}"
    swept_at = 0.0
    while not stop.wait(CYCLE_S):
        try:
            now = ports.clock.now()
            if ports.workers.take_lease("conductor", holder, now, now + LEASE):
                give_up_lost(ports)
                queue_forgotten(ports)
                if ports.clock.monotonic() - swept_at > SWEEP_EVERY_S:
                    swept_at = ports.clock.monotonic()
                    workplace.sweep(ports)
        except Unavailable as error:
            log.warning("%s: %s", error.code, error.message)


def give_up_lost(ports: Ports) -> None:
    """Running attempts without a heartbeat end as `worker_lost` and are tried again from the pristine submission."""
    now = ports.clock.now()
    for attempt in ports.runs.lost(now - SILENT_AFTER):
        claimed = Claimed(ports.runs.get(attempt.run_id), attempt)
        beat_at = attempt.heartbeat_at or attempt.created_at
        if not claimed.run.cancel_requested and now - beat_at < LOST_AFTER:
            continue
        log.warning("%s: worker %s is lost", attempt.job_id, attempt.worker_id)
        if _finish(ports, attempt, claimed):
            tell_queue(ports, attempt.run_id)


def queue_forgotten(ports: Ports) -> None:
    """Waiting attempts that the queue does not know are queued again; a job that comes twice does nothing twice."""
    for attempt in ports.runs.pending(BATCH):
        waited = ports.clock.now() - attempt.created_at
        if waited > FORGOTTEN_AFTER and not ports.queue.knows(attempt.job_id):
            ports.queue.enqueue(f"runner.jobs.{attempt.stage}", (attempt.run_id, attempt.number), attempt.job_id)


def _finish(ports: Ports, attempt: Attempt, claimed: Claimed) -> bool:
    worker_id = attempt.worker_id or ""
    ending = broke(claimed, "worker_lost")
    return ports.runs.finish(attempt.run_id, attempt.stage, attempt.number, worker_id, ending, ports.clock.now())
