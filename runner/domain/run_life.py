"""How a run lives: pure steps from one stored state to the next, with the log lines that tell of them.

Every store of runs takes these steps, each inside one transaction that holds the run, so the rules stand here once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from runner.domain.errors import Conflict
from runner.domain.run import (
    STAGES,
    Assessment,
    Attempt,
    AttemptCause,
    Diagnostic,
    Ending,
    Evidence,
    ExecutionState,
    Level,
    LogStage,
    Run,
    RunStatus,
    StageName,
)

_DONE_LEVEL: Mapping[RunStatus, Level] = {"completed": "success", "failed": "error", "cancelled": "warning"}


@dataclass(frozen=True, slots=True)
class Said:
    """A log line that has no sequence number yet. `done` marks the end of the run."""

    ts: datetime
    level: Level
    stage: LogStage
    msg: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What to store: the run afterwards and what comes with it. `results` None leaves the stored ones alone."""

    run: Run
    lines: tuple[Said, ...] = ()
    results: dict[str, Any] | None = None
    evidence: tuple[Evidence, ...] = ()
    assessments: tuple[Assessment, ...] = ()


def launched(run: Run) -> Step:
    """A new run waits, with a first attempt of its first needed stage."""
    waiting = replace(run, status="queued", execution_state="queued", attempts=())
    line = _told(run.created_at, "info", "queued")
    return Step(_with_attempt(waiting, run.needed()[0], "first", run.created_at), (line,))


def claimed(run: Run, stage: StageName, number: int, worker_id: str, now: datetime) -> Step | None:
    """Pending -> running. None when somebody else has the attempt, the run has ended, or a cancel came first."""
    attempt = _find(run, stage, number)
    if attempt is None or attempt.state != "pending" or run.is_final or run.cancel_requested:
        return None
    running = replace(attempt, state="running", worker_id=worker_id, started_at=now, heartbeat_at=now)
    return Step(replace(_changed(run, running), status="running", started_at=run.started_at or now))


def ended(run: Run, stage: StageName, number: int, worker_id: str, ending: Ending, now: datetime) -> Step | None:
    """An attempt has ended: the run goes on, tries again, or ends. None when the attempt is not this worker's any more.

    Once a cancel was promised the run ends as `cancelled`, whatever the stage says: its outcome and evidence are kept,
    results and assessments are not.
    """
    attempt = _find(run, stage, number)
    if attempt is None or attempt.state != "running" or attempt.worker_id != worker_id:
        return None
    over = replace(attempt, state=ending.state, outcome=ending.outcome, diagnostic=ending.diagnostic, finished_at=now)
    state = _execution_state(run, stage, ending)
    run = replace(_changed(run, over), progress=max(run.progress, ending.progress), execution_state=state)
    lines = tuple(Said(now, level, stage, msg) for level, msg in ending.messages)
    if run.cancel_requested:
        step = _cancelled(run, now)
    elif ending.again:
        step = Step(_with_attempt(run, stage, "automatic", now))
    else:
        step = _went_on(run, ending, now)
    return replace(step, lines=lines + step.lines, evidence=ending.evidence)


def cancel_asked(run: Run, now: datetime) -> Step:
    """A run that nobody works on ends at once; a running stage is told. Raises Conflict `run_not_active`."""
    if run.status == "cancelled":
        return Step(run)
    if run.is_final:
        raise Conflict(f"The run is {run.status}: there is nothing to cancel.", "run_not_active", status=run.status)
    asked = replace(run, cancel_requested=True)
    if not any(attempt.state == "running" for attempt in run.attempts):
        return _cancelled(asked, now)
    lines = () if run.cancel_requested else (_told(now, "warning", "cancel requested"),)
    return Step(asked, lines)


def retried(run: Run, stage: StageName, now: datetime) -> Step:
    """A failed or cancelled run waits again. What stages before `stage` found out stays true.

    Raises Conflict `run_not_retryable`.
    """
    if run.status not in ("failed", "cancelled"):
        raise Conflict(
            f"Only failed and cancelled runs can be tried again; this one is {run.status}.",
            "run_not_retryable",
            status=run.status,
        )
    finding = _finding_before(run, stage)
    again = replace(
        run,
        status="queued",
        execution_state="queued" if _runs_script(run, stage) else run.execution_state,
        finished_at=None,
        cancel_requested=False,
        degraded=run.degraded and finding is not None,
        diagnostic=finding,
        score=None,
        coverage=None,
    )
    return Step(_with_attempt(again, stage, "asked", now), (_told(now, "info", f"queued again from {stage}"),))


def attempt_lost() -> Conflict:
    """What a worker is told that comes back after it was given up."""
    return Conflict("This attempt was given up: another one has taken its place.", "attempt_lost")


def _went_on(run: Run, ending: Ending, now: datetime) -> Step:
    run = replace(run, degraded=run.degraded or ending.degraded, diagnostic=ending.diagnostic or run.diagnostic)
    if ending.next_stage is not None:
        return Step(_with_attempt(run, ending.next_stage, "first", now))
    if ending.run_status == "cancelled":
        return _cancelled(run, now)
    if ending.run_status == "completed":
        run = replace(run, progress=1.0, score=ending.score, coverage=ending.coverage)
        return replace(_over(run, "completed", now), results=ending.results, assessments=ending.assessments)
    if run.execution_state in ("queued", "running"):
        run = replace(run, execution_state="failed")
    return _over(run, "failed", now)


def _cancelled(run: Run, now: datetime) -> Step:
    attempts = tuple(
        replace(attempt, state="cancelled", finished_at=now) if attempt.state == "pending" else attempt
        for attempt in run.attempts
    )
    state: ExecutionState = "canceled" if run.execution_state in ("queued", "running") else run.execution_state
    return _over(replace(run, attempts=attempts, execution_state=state), "cancelled", now)


def _over(run: Run, status: RunStatus, now: datetime) -> Step:
    end = Said(now, _DONE_LEVEL[status], "run", status, done=True)
    return Step(replace(run, status=status, finished_at=now), (end,))


def _execution_state(run: Run, stage: StageName, ending: Ending) -> ExecutionState:
    """What happened to the script. A later stage says nothing about it; another attempt starts from `queued`."""
    if not _runs_script(run, stage):
        return run.execution_state
    return "queued" if ending.again else ending.execution_state or run.execution_state


def _runs_script(run: Run, stage: StageName) -> bool:
    """Whether the script is still to be run at `stage`, or will never be."""
    return "reproduce" in run.skipped or STAGES.index(stage) <= STAGES.index("reproduce")


def _finding_before(run: Run, stage: StageName) -> Diagnostic | None:
    """The last diagnostic that a stage before this one ended with and the run went on from."""
    earlier = [run.newest(name) for name in run.needed()[: run.needed().index(stage)]]
    found = [attempt.diagnostic for attempt in earlier if attempt is not None and attempt.diagnostic is not None]
    return found[-1] if found else None


def _with_attempt(run: Run, stage: StageName, cause: AttemptCause, now: datetime) -> Run:
    number = sum(1 for attempt in run.attempts if attempt.stage == stage) + 1
    return replace(run, attempts=(*run.attempts, Attempt(run.run_id, stage, number, "pending", cause, now)))


def _changed(run: Run, attempt: Attempt) -> Run:
    name = (attempt.stage, attempt.number)
    return replace(run, attempts=tuple(attempt if (a.stage, a.number) == name else a for a in run.attempts))


def _find(run: Run, stage: StageName, number: int) -> Attempt | None:
    return next((a for a in run.attempts if (a.stage, a.number) == (stage, number)), None)


def _told(now: datetime, level: Level, msg: str) -> Said:
    return Said(now, level, "run", msg)
