"""A run: one attempt to reproduce a paper, its stages, and the attempts of each stage. Plain values and their rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

RunStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
ExecutionState = Literal["queued", "running", "succeeded", "failed", "timed_out", "canceled"]
StageName = Literal["rubric", "rollout", "reproduce", "judge"]
StageState = Literal["pending", "running", "succeeded", "failed", "skipped", "cancelled"]
AttemptCause = Literal["first", "automatic", "asked"]
Level = Literal["debug", "info", "success", "warning", "error"]
LogStage = Literal["rubric", "rollout", "reproduce", "judge", "run"]

STAGES: tuple[StageName, ...] = get_args(StageName)
RUN_STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
FINAL: frozenset[RunStatus] = frozenset({"completed", "failed", "cancelled"})
MAX_AUTOMATIC_ATTEMPTS = 2
"""An infrastructure failure gets at most this many further attempts (reproduction.md 2)."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """Why something ended as it did: `summary` is one sentence without paths."""

    code: str
    category: str
    retryable: bool
    summary: str
    recovery_action: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of one stage. `outcome` is what the stage recorded (JSON), None while it has not ended."""

    run_id: str
    stage: StageName
    number: int
    state: StageState
    cause: AttemptCause
    created_at: datetime
    worker_id: str | None = None
    heartbeat_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    diagnostic: Diagnostic | None = None
    outcome: dict[str, Any] | None = None

    @property
    def job_id(self) -> str:
        """The queue's name of this attempt: letters, digits, `_` and `-` only."""
        return f"{self.run_id}-{self.stage}-{self.number}"


@dataclass(frozen=True, slots=True)
class RunCost:
    """What the models of a run used. Without any model call the cost is known to be zero."""

    llm_usd: float | None = 0.0
    cost_known: bool = True
    tokens_in: int = 0
    tokens_out: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One run. `paper` is the entry as it was at launch; rubric and submission are fixed by id.

    `skipped` names the stages that are not needed; `attempts` are in order of making.
    """

    run_id: str
    paper_id: str
    repository_id: str
    paper: dict[str, Any]
    rubric_id: str
    submission_id: str | None
    configs: dict[str, dict[str, Any]]
    skipped: tuple[StageName, ...]
    code_only: bool
    created_at: datetime
    status: RunStatus = "queued"
    execution_state: ExecutionState = "queued"
    created_by: str | None = None
    rerun_of: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    cancel_requested: bool = False
    progress: float = 0.0
    degraded: bool = False
    diagnostic: Diagnostic | None = None
    score: float | None = None
    coverage: float | None = None
    cost: RunCost = field(default_factory=RunCost)
    attempts: tuple[Attempt, ...] = ()

    @property
    def is_final(self) -> bool:
        return self.status in FINAL

    def newest(self, stage: StageName) -> Attempt | None:
        """The newest attempt of a stage, None if it was never tried."""
        return next((a for a in reversed(self.attempts) if a.stage == stage), None)

    def needed(self) -> tuple[StageName, ...]:
        return tuple(s for s in STAGES if s not in self.skipped)

    def stage_after(self, stage: StageName) -> StageName | None:
        later = self.needed()[self.needed().index(stage) + 1 :]
        return later[0] if later else None

    def first_unfinished(self) -> StageName:
        """The first needed stage that has not succeeded: where a retry starts when nothing else is asked."""
        for stage in self.needed():
            newest = self.newest(stage)
            if newest is None or newest.state != "succeeded":
                return stage
        return self.needed()[-1]

    def automatic_attempts(self, stage: StageName) -> int:
        """How many automatic attempts stand at the end of this stage's list."""
        count = 0
        for attempt in reversed([a for a in self.attempts if a.stage == stage]):
            if attempt.cause != "automatic":
                break
            count += 1
        return count


@dataclass(frozen=True, slots=True)
class LogLine:
    """One stored line of a run's log; `seq` is 0, 1, 2, ... without gaps. `done` marks the end of the run."""

    seq: int
    ts: datetime
    level: Level
    stage: LogStage
    msg: str
    done: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """A stored artifact of a run."""

    evidence_id: str
    run_id: str
    name: str
    kind: Literal[
        "submission",
        "log",
        "output",
        "manifest",
        "environment",
        "trajectory",
        "rubric",
        "judge",
        "report",
        "attestation",
    ]
    key: str
    sha256: str
    size_bytes: int
    content_type: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Assessment:
    """An immutable judgement of one claim by one run, or by a person beside it."""

    assessment_id: str
    run_id: str
    claim_id: str
    conclusion: Literal["supports", "challenges", "contradicts", "insufficient"]
    assessor_kind: Literal["deterministic", "llm", "mixed", "human"]
    assessor_name: str | None
    rationale: str | None
    rubric_sha256: str
    score: float | None
    coverage: float | None
    code_only: bool
    degraded: bool
    evidence_ids: tuple[str, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Ending:
    """How one stage attempt ended and what follows, written in one transaction (`Runs.finish`).

    `next_stage` None ends the run as `run_status`; `again` makes one more automatic attempt of the same stage instead.
    """

    state: StageState
    outcome: dict[str, Any]
    diagnostic: Diagnostic | None = None
    next_stage: StageName | None = None
    again: bool = False
    run_status: RunStatus | None = None
    execution_state: ExecutionState | None = None
    degraded: bool = False
    progress: float = 0.0
    score: float | None = None
    coverage: float | None = None
    results: dict[str, Any] | None = None
    evidence: tuple[Evidence, ...] = ()
    assessments: tuple[Assessment, ...] = ()
    messages: tuple[tuple[Level, str], ...] = ()
