"""What people and programs ask of runs: look, follow, cancel, retry, repeat, read results and artifacts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from runner.domain import run_view
from runner.domain.access import AuditRow
from runner.domain.errors import Conflict, Invalid, NotFound
from runner.domain.run import STAGES, Evidence, LogLine, Run, RunStatus, StageName
from runner.ports import Page, Ports
from runner.usecases.launch import tell_queue

LOG_PAGE_LINES = 2000


def get(ports: Ports, *, run_id: str, with_private: bool = True) -> Run:
    """Raises NotFound `run_not_found`, also for a private paper's run that the asker may not see."""
    run = ports.runs.get(run_id)
    if not with_private and is_private(ports, run):
        raise NotFound(f"There is no run {run_id}.", "run_not_found")
    return run


def is_private(ports: Ports, run: Run) -> bool:
    """By the paper as it is now; a deleted paper's runs keep what it was at launch."""
    try:
        paper = ports.papers.get(run.paper_id)
        if paper.repository_id == run.repository_id:
            return paper.visibility == "private"
    except NotFound:
        pass
    return bool(run.paper["visibility"] == "private")


def page(
    ports: Ports,
    *,
    paper_id: str | None = None,
    statuses: Sequence[RunStatus] = (),
    stage: StageName | None = None,
    after: tuple[Any, ...] | None = None,
    limit: int = 50,
    with_private: bool = True,
) -> Page[Run]:
    return ports.runs.page(
        paper_id=paper_id, statuses=statuses, stage=stage, after=after, limit=limit, with_private=with_private
    )


def cancel(ports: Ports, *, run_id: str, actor: str | None) -> tuple[RunStatus, bool]:
    """Returns the status and whether the run was cancelled already. Raises Conflict `run_not_active`."""
    before = ports.runs.get(run_id).status
    if before == "cancelled":
        return before, True
    now = ports.clock.now()
    return ports.runs.request_cancel(run_id, AuditRow(now, actor, "cancel", run_id), now), False


def retry(ports: Ports, *, run_id: str, from_stage: StageName | None, actor: str | None) -> StageName:
    """Queues a next attempt of `from_stage`, by default the first stage that has not succeeded.

    Raises Conflict `run_not_retryable`, Invalid `stage_not_reached`.
    """
    run = ports.runs.get(run_id)
    if run.status not in ("failed", "cancelled"):
        raise Conflict(
            f"Only a failed or cancelled run can be retried; this one is {run.status}.",
            "run_not_retryable",
            status=run.status,
        )
    first = run.first_unfinished()
    stage = from_stage or first
    if stage in run.skipped or STAGES.index(stage) > STAGES.index(first):
        raise Invalid(f"The run has not reached the stage {stage}: retry from {first}.", "stage_not_reached")
    now = ports.clock.now()
    ports.runs.retry(run_id, stage, AuditRow(now, actor, "retry", run_id), now)
    tell_queue(ports, run_id)
    return stage


def results(ports: Ports, *, run_id: str, with_private: bool = True) -> dict[str, Any]:
    """The stored results with every assessment there is by now. Raises Conflict `results_not_available`."""
    run = get(ports, run_id=run_id, with_private=with_private)
    stored = ports.runs.results(run_id)
    if run.status != "completed" or stored is None:
        raise results_not_available(run)
    told = assessments_by_claim(ports, run_id)
    claims = [{**claim, "assessments": told.get(claim["claim_id"], [])} for claim in stored["claims"]]
    return {**stored, "claims": claims, "rubric_outdated": _is_outdated(ports, run)}


def results_not_available(run: Run) -> Conflict:
    facts: dict[str, Any] = {"status": run.status}
    if run.status == "failed" and run.diagnostic:
        facts["run_error"] = run.diagnostic.summary
    return Conflict("results not available", "results_not_available", **facts)


def assessments_by_claim(ports: Ports, run_id: str) -> dict[str, list[dict[str, Any]]]:
    told: dict[str, list[dict[str, Any]]] = {}
    for each in ports.runs.assessments(run_id):
        told.setdefault(each.claim_id, []).append(run_view.assessment(each))
    return told


def artifact_url(ports: Ports, item: Evidence) -> str:
    """Signed, for an hour; the file name is the last part of the artifact's name."""
    return ports.objects.url(item.key, filename=item.name.rsplit("/", 1)[-1], content_type=item.content_type)


def log_lines(ports: Ports, *, run_id: str, after: int = -1) -> Iterator[LogLine]:
    """Every stored line with seq > `after`, read in pages."""
    while lines := ports.log.read(run_id, after, LOG_PAGE_LINES):
        yield from lines
        after = lines[-1].seq


def _is_outdated(ports: Ports, run: Run) -> bool:
    """Whether the paper has a newer rubric version than the one this run was judged by."""
    try:
        return ports.rubrics.newest(run.repository_id).rubric_id != run.rubric_id
    except NotFound:
        return False
