"""Rubric versions in memory."""

from __future__ import annotations

from dataclasses import replace

from runner.adapters.memory.state import State
from runner.domain.access import AuditRow
from runner.domain.errors import Conflict, NotFound
from runner.domain.papers import RubricVersion


class MemoryRubrics:
    def __init__(self, state: State) -> None:
        self._state = state

    def add(self, rubric: RubricVersion, if_version: int | None, audit: AuditRow) -> tuple[RubricVersion, str]:
        with self._state.lock:
            self._state.paper_of(rubric.repository_id)
            versions = self._versions(rubric.repository_id)
            newest = versions[-1] if versions else None
            present = newest.version if newest else 0
            if if_version is not None and if_version != present:
                raise Conflict(f"The newest version is {present}.", "version_conflict", version=present)
            if newest is None or (newest.sha256, newest.envelope) != (rubric.sha256, rubric.envelope):
                stored, what = replace(rubric, version=present + 1), "created"
            elif newest.flags != rubric.flags:
                stored, what = replace(newest, flags=rubric.flags), "flags"
            else:
                return newest, "same"
            self._state.rubrics[stored.rubric_id] = stored
            self._state.audit.append(audit)
            return stored, what

    def newest(self, repository_id: str) -> RubricVersion:
        with self._state.lock:
            versions = self._versions(repository_id)
        return _only(versions[-1:])

    def version(self, repository_id: str, version: int) -> RubricVersion:
        with self._state.lock:
            return _only([rubric for rubric in self._versions(repository_id) if rubric.version == version])

    def get(self, rubric_id: str) -> RubricVersion:
        with self._state.lock:
            return _only([rubric for rubric in self._state.rubrics.values() if rubric.rubric_id == rubric_id])

    def _versions(self, repository_id: str) -> list[RubricVersion]:
        found = [rubric for rubric in self._state.rubrics.values() if rubric.repository_id == repository_id]
        return sorted(found, key=lambda rubric: rubric.version)


def _only(found: list[RubricVersion]) -> RubricVersion:
    if not found:
        raise NotFound("There is no such rubric.", "rubric_not_found")
    return found[0]
