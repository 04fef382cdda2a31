"""Verbs on a paper's submissions: keep an archive byte for byte, list them (contract: paperbench-api.md 2)."""

from __future__ import annotations

import contextlib
import pathlib
from typing import Any, BinaryIO

from runner.domain import ids
from runner.domain.access import AuditRow
from runner.domain.errors import DomainError
from runner.domain.papers import Paper, StoredFile, Submission
from runner.domain.times import utc_text
from runner.ports import Listing, Page, Ports
from runner.usecases import given_files
from runner.usecases.given_files import Intake

SCRIPT = "reproduce.sh"
MOST_FILES_SHOWN = 2000
NO_SCRIPT = {
    "code": "no_reproduce_sh",
    "message": "There is no plain file reproduce.sh at the root: this submission can only be judged with code_only.",
}


def add(
    ports: Ports, *, paper_id: str, given: str | BinaryIO, intake: Intake, actor: str | None
) -> tuple[Submission, bool]:
    """Stores an archive that was sent (a stream) or named (a handle); True when these bytes are new for the paper.

    Raises NotFound `paper_not_found`, Invalid `submission_*`, TooLarge `submission_too_large`, `upload_too_large`, and
    what `given_files.fetch` raises.
    """
    paper = ports.papers.get(paper_id)
    with given_files.workspace(ports) as folder:
        archive = folder / "archive"
        if isinstance(given, str):
            given_files.fetch(ports, given, archive, field="path", intake=intake)
        else:
            given_files.copy(given, archive, intake.max_bytes)
        return keep(ports, paper=paper, archive=archive, actor=actor)


def keep(ports: Ports, *, paper: Paper, archive: pathlib.Path, actor: str | None) -> tuple[Submission, bool]:
    """As `add`, for an archive that lies on our own disk."""
    listing = ports.archives.inspect(archive)
    submission_id = ids.new("sub")
    with archive.open("rb") as data:
        file = ports.objects.put(f"submissions/{submission_id}", data)
    submission = _submission(ports, submission_id, paper, file, listing)
    audit = AuditRow(submission.created_at, actor, "submission", paper.paper_id)
    is_new = False
    try:
        stored, is_new = ports.submissions.add(submission, audit)
    finally:
        if not is_new:
            with contextlib.suppress(DomainError):
                ports.objects.delete(file.key)
    return stored, is_new


def page(ports: Ports, *, paper: Paper, after: tuple[Any, ...] | None, limit: int) -> Page[Submission]:
    """Newest first."""
    return ports.submissions.page(paper.repository_id, after, limit)


def view(submission: Submission) -> dict[str, Any]:
    """What the answer to an upload says."""
    return {
        "submission_id": submission.submission_id,
        "sha256": submission.file.sha256,
        "size_bytes": submission.file.size_bytes,
        "files": [
            {"path": file.path, "size_bytes": file.size_bytes, "sha256": file.sha256} for file in submission.files
        ],
        "files_total": submission.files_total,
        "warnings": list(submission.warnings),
    }


def line(submission: Submission) -> dict[str, Any]:
    """What a list says."""
    return {
        "submission_id": submission.submission_id,
        "sha256": submission.file.sha256,
        "size_bytes": submission.file.size_bytes,
        "files_total": submission.files_total,
        "origin": submission.origin,
        "created_at": utc_text(submission.created_at),
    }


def _submission(ports: Ports, submission_id: str, paper: Paper, file: StoredFile, listing: Listing) -> Submission:
    has_script = any(each.path == SCRIPT for each in listing.files)
    told = [warning for warning in listing.warnings if warning["code"] != NO_SCRIPT["code"]]
    return Submission(
        submission_id=submission_id,
        repository_id=paper.repository_id,
        file=file,
        files=listing.files[:MOST_FILES_SHOWN],
        files_total=listing.files_total,
        has_script=has_script,
        origin="given",
        warnings=tuple(told if has_script else [*told, NO_SCRIPT]),
        created_at=ports.clock.now(),
    )
