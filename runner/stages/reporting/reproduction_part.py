"""Section 5: what physically happened."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from runner.stages.reporting import plain_text, stored
from runner.stages.reporting.quantities import Bytes, Phrase, Seconds, Shown, seconds
from runner.stages.reporting.stored import JsonObject

SLURM_FACTS = ("job_id", "state", "partition", "granted_time_limit_sec")


@dataclass(frozen=True, slots=True)
class StageTime:
    """One stage on the time axis; offsets in seconds from the run's creation."""

    name: str
    state: str
    attempt: int | None
    starts: Decimal | None
    ends: Decimal | None
    waited: Decimal | None


@dataclass(frozen=True, slots=True)
class File:
    path: str
    size: Bytes | None
    sha256: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Reproduction:
    """`facts` are the rows of the table; `slurm` those of the cluster job, empty without one."""

    execution_state: str | None
    exit_code: int | None
    signal: str | None
    timed_out: bool
    elapsed: Seconds | None
    sandbox: str | None
    network: str | None
    node: str | None
    limit: Seconds | None
    queue_wait: Seconds | None
    environment: str | None
    attempts: int
    slurm: tuple[tuple[str, Shown], ...]
    stages: tuple[StageTime, ...]
    produced: tuple[File, ...]
    missing: tuple[str, ...]
    omitted: tuple[File, ...]
    removed: tuple[str, ...]
    log: tuple[str, ...]

    def log_text(self) -> str:
        return "\n".join(self.log)

    def outcome(self) -> Phrase:
        """What physically happened, in one sentence that says nothing about the paper."""
        values: dict[str, Shown] = {"sandbox": self.sandbox, "elapsed": self.elapsed}
        if self.exit_code is None and not self.signal and not self.timed_out:
            return Phrase("execution.not_run")
        if self.sandbox is None or self.elapsed is None:
            return Phrase("execution.ran")
        if self.timed_out:
            return Phrase("execution.timed_out", values)
        if self.signal:
            return Phrase("execution.signal", {**values, "signal": self.signal})
        return Phrase("execution.exited", {**values, "code": self.exit_code})


def read(run: JsonObject, results: JsonObject | None, log_tail: list[str]) -> Reproduction:
    facts = stored.child(results, "reproduce")
    slurm = stored.child(facts, "slurm")
    config = stored.child(stored.child(run, "configs"), "reproduce_config")
    stages = stored.objects(run, "stages")
    stage = next((each for each in stages if each.get("name") == "reproduce"), None)
    return Reproduction(
        execution_state=stored.text(run, "execution_state"),
        exit_code=stored.count(facts, "exit_code"),
        signal=stored.text(facts, "signal"),
        timed_out=stored.flag(facts, "timed_out"),
        elapsed=seconds(stored.number(facts, "elapsed_sec")),
        sandbox=stored.text(facts, "sandbox_kind"),
        network=stored.text(facts, "network"),
        node=stored.text(slurm, "nodes") or stored.text(facts, "node"),
        limit=seconds(stored.number(config, "time_limit_sec")),
        queue_wait=seconds(stored.number(slurm, "queue_wait_sec") or stored.number(stage, "queue_wait_sec")),
        environment=stored.text(stored.child(facts, "environment"), "state"),
        attempts=len(stored.items(facts, "attempts")) or stored.count(stage, "attempt") or 0,
        slurm=tuple((key, _fact(slurm, key)) for key in SLURM_FACTS if slurm),
        stages=tuple(_stage(each, stored.moment(run, "created_at")) for each in stages),
        produced=tuple(_file(each) for each in stored.objects(facts, "produced")),
        missing=tuple(map(plain_text.one_line, stored.items(facts, "missing"))),
        omitted=tuple(_file(each) for each in stored.objects(facts, "omitted")),
        removed=tuple(map(plain_text.one_line, stored.items(facts, "removed"))),
        log=plain_text.log_tail(log_tail),
    )


def _fact(source: JsonObject, key: str) -> Shown:
    return seconds(stored.number(source, key)) if key.endswith("_sec") else stored.text(source, key)


def _file(item: JsonObject) -> File:
    size = stored.count(item, "size_bytes")
    return File(
        path=stored.text(item, "path") or "",
        size=None if size is None else Bytes(size),
        sha256=stored.text(item, "sha256"),
        reason=stored.text(item, "reason"),
    )


def _stage(item: JsonObject, origin: datetime | None) -> StageTime:
    return StageTime(
        name=stored.text(item, "name") or "",
        state=stored.text(item, "state") or "",
        attempt=stored.count(item, "attempt"),
        starts=_offset(stored.moment(item, "started_at"), origin),
        ends=_offset(stored.moment(item, "finished_at"), origin),
        waited=stored.number(item, "queue_wait_sec"),
    )


def _offset(moment: datetime | None, origin: datetime | None) -> Decimal | None:
    return None if moment is None or origin is None else Decimal(str((moment - origin).total_seconds()))
