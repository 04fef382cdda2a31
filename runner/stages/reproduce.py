"""The reproduce stage: one attempt to run a submission's `reproduce.sh` from its pristine tree, and a record of what came of it.

The script runs once; an outcome is never improved by trying again (reproduction.md 2). Only when our own side breaks is
there another attempt.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from runner.domain.diagnostics import diagnose
from runner.domain.errors import Invalid
from runner.domain.run import Diagnostic, Ending, Evidence, ExecutionState, Level
from runner.ports import Claimed, Limits, Ports, Sandbox, ScriptOutcome, ScriptSpec
from runner.stages import keeping, manifest, starting_tree, workplace
from runner.stages.endings import broke, stopped
from runner.stages.log_pump import LogPump
from runner.stages.raw_log import RawLog
from runner.stages.shift import Shift, StoppedMeanwhile
from runner.stages.workplace import Workplace

SCRIPT = ("bash", "./reproduce.sh")


def reproduce(ports: Ports, claimed: Claimed, shift: Shift) -> Ending:
    """Runs the script and stores its log and every file it produced. What the script did is judged, whatever it was."""
    run, attempt = claimed.run, claimed.attempt
    try:
        sandbox = ports.sandboxes.choose(run.configs["reproduce_config"]["sandbox_kind"])
    except Invalid as error:
        return broke(claimed, error.code, reason=error.message)
    place = workplace.open_fresh(ports, run.run_id, attempt.number)
    try:
        removed = _starting_tree(ports, claimed, place)
    except workplace.CorruptObject:
        return broke(claimed, "submission_corrupt")
    before = manifest.take(place.tree)
    outcome, masked = _run_script(ports, claimed, shift, place, sandbox)
    if outcome.failure == "sandbox_start_failed":
        return broke(claimed, outcome.failure, reason=outcome.failure_text or "no reason given.")
    record = _record(claimed, sandbox, outcome) | {"removed": removed, "masked": masked}
    try:
        shift.go_on()
        kept = keeping.keep(ports, claimed, place, before, _expected(ports, claimed), shift.go_on)
    except StoppedMeanwhile:
        return stopped(record, keeping.keep_log(ports, claimed, place).evidence)
    return _ended(claimed, outcome, record | kept.record, kept.evidence)


def _starting_tree(ports: Ports, claimed: Claimed, place: Workplace) -> list[str]:
    """Unpacks the stored archive anew and moves aside what must not be there. Returns the paths that were moved."""
    run = claimed.run
    assert run.submission_id is not None
    workplace.fetch(ports, ports.submissions.get(run.submission_id).file, place.archive)
    listing = ports.archives.unpack(place.archive, place.tree)
    for warning in listing.warnings:
        _say(ports, claimed, "warning", f"{warning['message']} [{warning['code']}]")
    return starting_tree.set_aside(place.tree, place.aside, _expected(ports, claimed))


def _run_script(
    ports: Ports, claimed: Claimed, shift: Shift, place: Workplace, sandbox: Sandbox
) -> tuple[ScriptOutcome, int]:
    run, attempt = claimed.run, claimed.attempt
    limit_s = run.configs["reproduce_config"]["time_limit_sec"]
    _say(
        ports,
        claimed,
        "info",
        f"attempt {attempt.number}: reproduce.sh starts in {_named(sandbox)}, network {sandbox.network}, at most {limit_s} s",
    )
    spec = ScriptSpec(
        tree=place.tree,
        scratch=place.tmp,
        argv=SCRIPT,
        env=sandbox.environment(run.run_id, attempt.number, run.paper_id, place.tree, place.tmp),
        time_limit_s=limit_s,
    )
    ports.runs.script_started(run.run_id, ports.clock.now())
    with (
        RawLog(place.log, spec.limits.log_bytes, ports.masker) as raw,
        LogPump(ports.log, ports.clock, attempt, ports.masker) as shown,
    ):

        def keep(output: bytes) -> None:
            raw.write(output)
            shown.write(output)

        outcome = sandbox.run(spec, keep, lambda: shift.should_stop() or shown.lost)
    return outcome, raw.masked


def _ended(claimed: Claimed, outcome: ScriptOutcome, record: dict[str, Any], evidence: tuple[Evidence, ...]) -> Ending:
    diagnostic = diagnosis(outcome, claimed.run.configs["reproduce_config"]["time_limit_sec"])
    messages: list[tuple[Level, str]] = [_told(outcome, diagnostic)]
    if diagnostic is None and not record["produced"]:
        messages.append(("warning", "the script made or changed no file [nothing_produced]"))
    return Ending(
        state="succeeded",
        outcome=record,
        diagnostic=diagnostic,
        next_stage="judge",
        execution_state=_state(outcome),
        degraded=diagnostic is not None,
        progress=0.8,
        evidence=evidence,
        messages=tuple(messages),
    )


def diagnosis(outcome: ScriptOutcome, time_limit_sec: int) -> Diagnostic | None:
    """None when the script ended with exit code 0."""
    if outcome.failure is not None:
        return diagnose(outcome.failure)
    if outcome.timed_out:
        return diagnose("reproduce_timeout", time_limit_sec=time_limit_sec)
    if outcome.signal is not None:
        return diagnose("reproduce_killed", signal=outcome.signal)
    if outcome.exit_code != 0:
        return diagnose("reproduce_nonzero_exit", exit_code=outcome.exit_code)
    return None


def _state(outcome: ScriptOutcome) -> ExecutionState:
    if outcome.timed_out:
        return "timed_out"
    return "succeeded" if outcome.exit_code == 0 and outcome.failure is None else "failed"


def _told(outcome: ScriptOutcome, diagnostic: Diagnostic | None) -> tuple[Level, str]:
    if diagnostic is None:
        return "success", f"reproduce.sh ended with exit code 0 after {outcome.elapsed_s:.1f} s"
    return "warning", f"{diagnostic.summary} {diagnostic.recovery_action} [{diagnostic.code}]"


def _record(claimed: Claimed, sandbox: Sandbox, outcome: ScriptOutcome) -> dict[str, Any]:
    """`reproduce` of the results, without what was kept."""
    return {
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "timed_out": outcome.timed_out,
        "elapsed_sec": round(outcome.elapsed_s, 3),
        "limits": {"time_limit_sec": claimed.run.configs["reproduce_config"]["time_limit_sec"], **asdict(Limits())},
        "sandbox_kind": sandbox.kind,
        "sandbox_version": sandbox.probe().version,
        "network": sandbox.network,
        "environment": {"state": "none"},
    }


def _expected(ports: Ports, claimed: Claimed) -> list[str]:
    """What the rubric's contract says that the script makes."""
    contract = ports.rubrics.get(claimed.run.rubric_id).envelope.get("reproduce_contract", {})
    return list(contract.get("expected_artifacts", []))


def _named(sandbox: Sandbox) -> str:
    if not sandbox.isolating:
        return f"{sandbox.kind} (no isolation)"
    return sandbox.probe().version or sandbox.kind


def _say(ports: Ports, claimed: Claimed, level: Level, text: str) -> None:
    ports.log.append(claimed.run.run_id, [(ports.clock.now(), level, "reproduce", text)])
