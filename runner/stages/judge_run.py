"""The judge stage of a run: the executed tree is judged by the stored rubric, and everything found is recorded at once."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from runner.domain import ids, results, rubric_hash, run_view
from runner.domain.checks import CommandOutcome, RunCommand
from runner.domain.claims import ClaimOutcome
from runner.domain.errors import Invalid
from runner.domain.execution import Execution
from runner.domain.headline import counted, headline
from runner.domain.results import Judgement
from runner.domain.run import Assessment, Ending, Run
from runner.ports import Claimed, Ports, each_page
from runner.stages import judge, workplace
from runner.stages.command_check import run_command
from runner.stages.endings import broke, stopped
from runner.stages.executed import open_tree
from runner.stages.shift import Shift, StoppedMeanwhile


def judge_run(ports: Ports, claimed: Claimed, shift: Shift) -> Ending:
    """Ends the run as `completed`, with results, one assessment per judged claim, and what the reproduction recorded."""
    run = claimed.run
    stored = ports.rubrics.get(run.rubric_id)
    if rubric_hash.sha256(stored.tree) != stored.sha256:
        return broke(claimed, "rubric_tampered")
    count = counted(stored.leaves_count, "criterion", "criteria")
    say(ports, run, f"judging {count} of rubric version {stored.version} by their checks")
    try:
        tree = open_tree(ports, run, claimed.attempt.number)
    except workplace.CorruptObject:
        return broke(claimed, "submission_corrupt")
    config = run.configs["judge_config"]
    flags = judge.ViewFlags(run.code_only, config["resources_provided"], config["max_depth"])
    run_commands = _command_runner(ports, run, tree.root, shift)
    try:
        found = judge.judge(stored.tree, flags, tree, execution(run), run_commands, shift.go_on)
    except StoppedMeanwhile:
        return stopped()
    return _completed(ports, run, found, stored.sha256)


def execution(run: Run) -> Execution:
    """What happened before judging."""
    if "reproduce" in run.skipped:
        return Execution.NOT_RUN
    return Execution.SUCCEEDED if run.execution_state == "succeeded" else Execution.ENDED


def say(ports: Ports, run: Run, text: str) -> None:
    ports.log.append(run.run_id, [(ports.clock.now(), "info", "judge", text)])


def _command_runner(ports: Ports, run: Run, tree: Any, shift: Shift) -> RunCommand:
    """Runs `command` checks in the first isolating sandbox, whatever kind the run itself used."""

    def call(argv: tuple[str, ...], timeout_s: int) -> CommandOutcome:
        try:
            sandbox = ports.sandboxes.choose("auto")
        except Invalid as error:
            return CommandOutcome(None, unavailable_reason=error.message)
        return run_command(sandbox, argv, tree, timeout_s, run, shift.should_stop)

    return call


def _completed(ports: Ports, run: Run, found: Judgement, rubric_sha256: str) -> Ending:
    now = ports.clock.now()
    evidence_ids = _evidence_ids(ports, run)
    assessments = [
        _assessment(run, outcome, rubric_sha256, evidence_ids, now) for outcome in found.claims if outcome.conclusion
    ]
    shown: dict[str, list[dict[str, Any]]] = {a.claim_id: [run_view.assessment(a)] for a in assessments}
    document = results.build(
        found,
        job_id=run.run_id,
        paper_id=run.paper_id,
        degraded=run.degraded,
        cost=asdict(run.cost),
        reproduce=reproduce_section(run),
        evidence_ids=evidence_ids,
        assessments=shown,
    )
    document |= _judged(ports, run)
    return Ending(
        state="succeeded",
        outcome={"criteria": len(document["leaves"])},
        run_status="completed",
        progress=1.0,
        score=document["ors_score"],
        coverage=document["coverage"],
        results=document,
        assessments=tuple(assessments),
        messages=(("success", _verdict_line(document)),),
    )


def _evidence_ids(ports: Ports, run: Run) -> dict[str, str]:
    """Of what a check can look at, by path; of several attempts the newest counts."""
    stored = each_page(lambda after: ports.runs.evidence(run.run_id, after, 1000))
    return {item.name: item.evidence_id for item in stored if item.kind in ("log", "output")}


def _judged(ports: Ports, run: Run) -> dict[str, Any]:
    """Exactly what was judged: rubric version and submission by their digests."""
    stored = ports.rubrics.get(run.rubric_id)
    judged: dict[str, Any] = {"rubric_version": stored.version, "rubric_sha256": stored.sha256}
    if run.submission_id is not None:
        sha256 = ports.submissions.get(run.submission_id).file.sha256
        judged["submission"] = {"submission_id": run.submission_id, "sha256": sha256}
    return judged


def _assessment(
    run: Run, outcome: ClaimOutcome, rubric_sha256: str, evidence_ids: dict[str, str], now: datetime
) -> Assessment:
    assert outcome.conclusion is not None
    assert outcome.assessor_kind is not None
    return Assessment(
        assessment_id=ids.new("as"),
        run_id=run.run_id,
        claim_id=outcome.claim.id,
        conclusion=outcome.conclusion,
        assessor_kind=outcome.assessor_kind,
        assessor_name=outcome.assessor_model,
        rationale=outcome.rationale,
        rubric_sha256=rubric_sha256,
        score=None if outcome.score is None else float(outcome.score),
        coverage=float(outcome.coverage),
        code_only=run.code_only,
        degraded=run.degraded,
        evidence_ids=tuple(evidence_ids[path] for path in outcome.evidence_paths if path in evidence_ids),
        created_at=now,
    )


def reproduce_section(run: Run) -> dict[str, Any]:
    """`reproduce` of the results: what the last attempt recorded, and the list of all attempts."""
    attempts = [attempt for attempt in run.attempts if attempt.stage == "reproduce"]
    recorded = (attempts[-1].outcome if attempts else None) or NOT_REPRODUCED
    listed = [
        {
            "n": attempt.number,
            "code": attempt.diagnostic.code if attempt.diagnostic else None,
            **{name: (attempt.outcome or {}).get(name) for name in ("exit_code", "signal", "timed_out", "elapsed_sec")},
        }
        for attempt in attempts
    ]
    return {**recorded, "attempts": listed}


NOT_REPRODUCED: dict[str, Any] = {
    "exit_code": None,
    "signal": None,
    "timed_out": False,
    "elapsed_sec": None,
    "sandbox_kind": None,
    "network": "off",
    "environment": {"state": "none"},
    "produced": [],
    "missing": [],
    "omitted": [],
    "removed": [],
}
"""The section of a run without a reproduce stage."""


def _verdict_line(document: dict[str, Any]) -> str:
    met = sum(leaf["status"] == "met" for leaf in document["leaves"])
    return f"{headline(document)}, {met} of {counted(len(document['leaves']), 'criterion', 'criteria')} met"
