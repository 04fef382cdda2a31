"""Repeating a run: a new one of the same configs, rubric version and submission, whatever the paper has become."""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import replace

from runner.domain import ids
from runner.domain.access import AuditRow
from runner.domain.errors import Conflict, Fault, Invalid, NotFound
from runner.domain.run import Run
from runner.ports import Ports
from runner.usecases import launch


def rerun(ports: Ports, *, run_id: str, key: str | None, actor: str | None) -> str:
    """Returns the id of the new run; an equal `key` (Idempotency-Key) gives the first answer again.

    Raises NotFound `run_not_found`, Conflict `run_not_finished`, Invalid `launch_refused`, `idempotency_key_reused`.
    """
    digest = hashlib.sha256(f"rerun {run_id}".encode()).hexdigest()
    if kept := launch.kept_answer(ports, key, digest):
        return str(kept["job_id"])
    old = ports.runs.get(run_id)
    if not old.is_final:
        raise Conflict(f"The run is still {old.status}: wait for its end.", "run_not_finished", status=old.status)
    _refuse_without_paper(ports, old)
    _refuse_without_sandbox(ports, old)
    new = _again(ports, old, actor)
    audit = AuditRow(new.created_at, actor, "rerun", new.run_id)
    return str(launch.start(ports, [new], [audit], key, digest, {"job_id": new.run_id})["job_id"])


def _refuse_without_paper(ports: Ports, old: Run) -> None:
    """Another paper may have taken the id since."""
    with contextlib.suppress(NotFound):
        if ports.papers.get(old.paper_id).repository_id == old.repository_id:
            return
    text = f"The paper {old.paper_id} of this run was deleted: import it again and launch a new run."
    raise Invalid(text, "launch_refused", [Fault("paper_id", "paper_not_found", text)])


def _refuse_without_sandbox(ports: Ports, old: Run) -> None:
    if "reproduce" in old.skipped:
        return
    try:
        ports.sandboxes.choose(old.configs["reproduce_config"]["sandbox_kind"])
    except Invalid as error:
        fault = Fault("reproduce_config.sandbox_kind", error.code, error.message)
        raise Invalid(error.message, "launch_refused", [fault]) from None


def _again(ports: Ports, old: Run, actor: str | None) -> Run:
    fresh = Run(
        run_id=ids.new("run"),
        paper_id=old.paper_id,
        repository_id=old.repository_id,
        paper=old.paper,
        rubric_id=old.rubric_id,
        submission_id=old.submission_id,
        configs=old.configs,
        skipped=old.skipped,
        code_only=old.code_only,
        created_at=ports.clock.now(),
    )
    return replace(fresh, created_by=actor, rerun_of=old.run_id)
