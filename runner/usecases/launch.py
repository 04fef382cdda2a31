"""Launching: everything that can be checked for free is checked, then all runs are stored or none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runner.domain import cost, ids
from runner.domain.access import AuditRow
from runner.domain.entry import entry
from runner.domain.errors import Conflict, Fault, Invalid, Unavailable
from runner.domain.run import Run, StageName
from runner.ports import Ports
from runner.usecases import launch_checks
from runner.usecases.launch_checks import Check, LaunchRequest
from runner.usecases.launch_warnings import warnings


def launch(ports: Ports, *, request: LaunchRequest, actor: str | None, with_private: bool = True) -> dict[str, Any]:
    """Stores one queued run per distinct paper and tells the queue. Returns the 202 answer.

    Raises Invalid `launch_refused` with every problem, or `idempotency_key_reused`.
    """
    digest = request.body_sha256
    if kept := kept_answer(ports, request.idempotency_key, digest):
        return kept
    checks = [launch_checks.check(ports, request, paper_id, with_private) for paper_id in _distinct(request.paper_ids)]
    problems = [_located(request, check, problem) for check in checks for problem in check.problems]
    if problems:
        raise Invalid(_refusal(problems), "launch_refused", details=_once(problems))
    runs = [_run(ports, request, check, actor) for check in checks]
    answer = _answer(request, checks, runs)
    audit = [AuditRow(run.created_at, actor, "launch", run.run_id) for run in runs]
    return start(ports, runs, audit, request.idempotency_key, digest, answer)


def dry_run(ports: Ports, *, request: LaunchRequest, with_private: bool = True) -> dict[str, Any]:
    """What a launch would do and cost, and what is in its way, per paper. Creates nothing."""
    checks = [launch_checks.check(ports, request, paper_id, with_private) for paper_id in _distinct(request.paper_ids)]
    each = cost.estimate(request.configs)
    return {
        "dry_run": True,
        "estimated_cost": each,
        "estimated_total": cost.total([each] * len(checks)),
        "papers": [
            {
                "paper_id": check.paper_id,
                "ok": not check.problems,
                "problems": [{"code": p.code, "message": p.message} for p in check.problems],
            }
            for check in checks
        ],
        "warnings": warnings(request, checks),
    }


def start(
    ports: Ports,
    runs: Sequence[Run],
    audit: Sequence[AuditRow],
    key: str | None,
    body_sha256: str,
    answer: dict[str, Any],
) -> dict[str, Any]:
    """Stores runs and tells the queue. Returns `answer`, or the first one when an equal request with this key was faster."""
    try:
        ports.runs.add(runs, audit, (key, body_sha256, answer) if key else None)
    except Conflict as conflict:
        if conflict.code == "idempotency_key_taken" and (kept := kept_answer(ports, key, body_sha256)):
            return kept
        raise
    for run in runs:
        tell_queue(ports, run.run_id)
    return answer


def kept_answer(ports: Ports, key: str | None, body_sha256: str) -> dict[str, Any] | None:
    """What a request with this Idempotency-Key was answered within a day. Raises Invalid `idempotency_key_reused`."""
    kept = ports.runs.idempotent_answer(key, ports.clock.now()) if key else None
    if kept is None:
        return None
    if kept[0] != body_sha256:
        raise Invalid("This Idempotency-Key was used for another request: use a new key.", "idempotency_key_reused")
    return kept[1]


def tell_queue(ports: Ports, run_id: str) -> None:
    """Queues the waiting attempt of a run. When the queue is down the conductor does it later: nothing is lost."""
    for attempt in ports.runs.get(run_id).attempts:
        if attempt.state == "pending":
            try:
                ports.queue.enqueue(f"runner.jobs.{attempt.stage}", (run_id, attempt.number), attempt.job_id)
            except Unavailable:
                return


def _run(ports: Ports, request: LaunchRequest, check: Check, actor: str | None) -> Run:
    assert check.paper is not None
    assert check.rubric is not None
    assert check.submission is not None
    code_only = bool(request.configs.judge_config.code_only)
    skipped: tuple[StageName, ...] = ("rubric", "rollout", "reproduce") if code_only else ("rubric", "rollout")
    paper = check.paper
    return Run(
        run_id=ids.new("run"),
        paper_id=paper.paper_id,
        repository_id=paper.repository_id,
        paper=entry(paper, ports.objects.location(f"papers/{paper.paper_id}/")),
        rubric_id=check.rubric.rubric_id,
        submission_id=check.submission.submission_id,
        configs=request.configs.stored(),
        skipped=skipped,
        code_only=code_only,
        created_at=ports.clock.now(),
        created_by=actor,
    )


def _answer(request: LaunchRequest, checks: Sequence[Check], runs: Sequence[Run]) -> dict[str, Any]:
    each = cost.estimate(request.configs)
    return {
        "dry_run": False,
        "job_ids": [run.run_id for run in runs],
        "estimated_cost": each,
        "estimated_total": cost.total([each] * len(runs)),
        "warnings": warnings(request, checks),
    }


def _distinct(paper_ids: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(paper_ids))


def _located(request: LaunchRequest, check: Check, problem: Fault) -> Fault:
    if problem.field != "paper_ids":
        return problem
    return Fault(f"paper_ids[{request.paper_ids.index(check.paper_id)}]", problem.code, problem.message)


def _once(problems: Sequence[Fault]) -> list[Fault]:
    """A config problem that every paper meets is told once."""
    return list(dict.fromkeys(problems))


def _refusal(problems: Sequence[Fault]) -> str:
    first = problems[0].message
    rest = len(_once(problems)) - 1
    return first if rest == 0 else f"{first} And {rest} further problem{'s' if rest > 1 else ''}: see details."
