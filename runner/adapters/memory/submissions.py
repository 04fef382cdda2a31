"""Submissions in memory."""

from __future__ import annotations

from typing import Any

from runner.adapters import paging
from runner.adapters.memory.state import State
from runner.domain.access import AuditRow
from runner.domain.errors import NotFound
from runner.domain.instants import to_micros
from runner.domain.papers import Submission
from runner.ports import Page


class MemorySubmissions:
    def __init__(self, state: State) -> None:
        self._state = state

    def add(self, submission: Submission, audit: AuditRow) -> tuple[Submission, bool]:
        with self._state.lock:
            self._state.paper_of(submission.repository_id)
            for known in self._of(submission.repository_id):
                if known.file.sha256 == submission.file.sha256:
                    return known, False
            self._state.submissions[submission.submission_id] = submission
            self._state.audit.append(audit)
            return submission, True

    def get(self, submission_id: str) -> Submission:
        with self._state.lock:
            if submission_id not in self._state.submissions:
                raise NotFound("There is no such submission.", "submission_not_found")
            return self._state.submissions[submission_id]

    def newest(self, repository_id: str) -> Submission:
        with self._state.lock:
            found = self._of(repository_id)
        if not found:
            raise NotFound("The paper has no submission.", "submission_not_found")
        return max(found, key=_place)

    def page(self, repository_id: str, after: tuple[Any, ...] | None, limit: int) -> Page[Submission]:
        with self._state.lock:
            found = [each for each in self._of(repository_id) if after is None or _place(each) < tuple(after)]
        return paging.cut(sorted(found, key=_place, reverse=True), limit, _place)

    def _of(self, repository_id: str) -> list[Submission]:
        return [each for each in self._state.submissions.values() if each.repository_id == repository_id]


def _place(submission: Submission) -> tuple[int, str]:
    return to_micros(submission.created_at), submission.submission_id
