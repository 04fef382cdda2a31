"""What the memory versions share: one lock, which makes every method a transaction, and plain collections."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from runner.domain.access import AuditRow, Key
from runner.domain.errors import NotFound
from runner.domain.papers import Paper, RubricVersion, StoredFile, Submission, Upload
from runner.domain.run import Assessment, Evidence, LogLine, Run


@dataclass
class State:
    """Each dict goes from id to value, in the order of adding."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    papers: dict[str, Paper] = field(default_factory=dict)
    uploads: dict[str, Upload] = field(default_factory=dict)
    rubrics: dict[str, RubricVersion] = field(default_factory=dict)
    submissions: dict[str, Submission] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    logs: dict[str, list[LogLine]] = field(default_factory=dict)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    evidence: dict[str, list[Evidence]] = field(default_factory=dict)
    assessments: dict[str, list[Assessment]] = field(default_factory=dict)
    idempotency: dict[str, tuple[str, dict[str, Any], datetime]] = field(default_factory=dict)
    keys: dict[str, Key] = field(default_factory=dict)
    beats: dict[str, datetime] = field(default_factory=dict)
    leases: dict[str, tuple[str, datetime]] = field(default_factory=dict)
    audit: list[AuditRow] = field(default_factory=list)

    def paper_of(self, repository_id: str) -> Paper:
        """Raises NotFound `paper_not_found` when no paper has this repository any more."""
        for paper in self.papers.values():
            if paper.repository_id == repository_id:
                return paper
        raise NotFound("The paper was deleted meanwhile.", "paper_not_found")

    def without_owner(self, files: Iterable[StoredFile]) -> tuple[StoredFile, ...]:
        """Those that nothing refers to."""
        used = {file.key for paper in self.papers.values() for file in (paper.pdf, paper.ad_pdf, paper.ae_pdf) if file}
        used |= {submission.file.key for submission in self.submissions.values()}
        used |= {upload.file.key for upload in self.uploads.values()}
        used |= {each.key for found in self.evidence.values() for each in found}
        return tuple({file.key: file for file in files if file.key not in used}.values())
