"""Asking for a run's report: what is stored is handed out, what is missing is rendered by a worker, once."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from runner.domain import report_files
from runner.domain.report_files import ReportRequest
from runner.domain.run import Run
from runner.ports import Ports
from runner.usecases import runs as runs_use

WAIT_S = 10.0
_POLL_S = 0.1
_NOTE_HOLDS_S = 300


def get(ports: Ports, *, run_id: str, request: ReportRequest, with_private: bool = True) -> dict[str, Any] | None:
    """The answer of GET report, or None when it is not ready after about 10 s.

    Raises Conflict `results_not_available` while the run goes on, Unavailable `queue_unavailable` when no worker can
    be told.
    """
    run = runs_use.get(ports, run_id=run_id, with_private=with_private)
    if not run.is_final:
        raise runs_use.results_not_available(run)
    if missing(ports, run, request):
        _ask_worker(ports, run, request)
    until = ports.clock.monotonic() + WAIT_S
    while missing(ports, run, request):
        if ports.clock.monotonic() > until:
            return None
        ports.clock.sleep(_POLL_S)
    return answer(ports, run, request)


def missing(ports: Ports, run: Run, request: ReportRequest) -> list[tuple[str, str]]:
    """Files that are neither stored nor noted as impossible within the last five minutes."""
    keys = file_keys(ports, run, request)
    return [file for file, key in keys.items() if not ports.objects.exists(key) and _note(ports, key) is None]


def file_keys(ports: Ports, run: Run, request: ReportRequest) -> dict[tuple[str, str], str]:
    """The key of every file asked for, by (language, format)."""
    reviews = [a.assessment_id for a in ports.runs.assessments(run.run_id) if a.assessor_kind == "human"]
    return {file: report_files.key(run, reviews, request, *file) for file in request.files()}


def answer(ports: Ports, run: Run, request: ReportRequest) -> dict[str, Any]:
    """What there is: signed URLs and digests of the files, a warning for each that could not be made."""
    urls, digests, warnings = {}, {}, []
    for (language, kind), key in file_keys(ports, run, request).items():
        if not ports.objects.exists(key):
            note = _note(ports, key) or {"code": "report_failed", "message": "The file could not be made."}
            warnings.append({"code": note["code"], "message": note["message"], "language": language, "format": kind})
            continue
        file = f"{language}/{kind}"
        urls[file] = ports.objects.url(
            key, filename=report_files.file_name(run, language, kind), content_type=report_files.CONTENT_TYPES[kind]
        )
        with ports.objects.open(key) as data:
            digests[file] = hashlib.file_digest(data, "sha256").hexdigest()  # type: ignore[arg-type]
    return {
        "job_id": run.run_id,
        "status": "ok",
        "languages": list(request.languages),
        "formats": list(request.formats),
        "download_urls": urls,
        "sha256": digests,
        "harvest": _harvest(ports, run),
        "warnings": warnings,
    }


def _ask_worker(ports: Ports, run: Run, request: ReportRequest) -> None:
    job_id = f"{run.run_id}-report-{request.digest()}"
    if not ports.queue.knows(job_id):
        asked = (run.run_id, list(request.languages), list(request.formats), request.output_root)
        ports.queue.enqueue("runner.jobs.report", asked, job_id)


def _note(ports: Ports, key: str) -> dict[str, Any] | None:
    if not ports.objects.exists(report_files.note_key(key)):
        return None
    with ports.objects.open(report_files.note_key(key)) as file:
        note: dict[str, Any] = json.load(file)
    return note if ports.clock.now().timestamp() - note["at"] < _NOTE_HOLDS_S else None


def _harvest(ports: Ports, run: Run) -> dict[str, Any]:
    results = ports.runs.results(run.run_id) if run.status == "completed" else None
    leaves = results["leaves"] if results else []
    return {
        "ors_score": results["ors_score"] if results else None,
        "leaves_total": len(leaves),
        "leaves_met": sum(leaf["status"] == "met" for leaf in leaves),
        "coverage": results["coverage"] if results else None,
    }
