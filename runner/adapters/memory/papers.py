"""Papers in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runner.adapters import paging, paper_order
from runner.adapters.memory.state import State
from runner.domain import licence, search_text
from runner.domain.access import AuditRow
from runner.domain.errors import Conflict, NotFound
from runner.domain.papers import Paper, StoredFile
from runner.ports import Page


class MemoryPapers:
    def __init__(self, state: State) -> None:
        self._state = state

    def add(self, paper: Paper, audit: AuditRow) -> Paper:
        with self._state.lock:
            if paper.paper_id in self._state.papers:
                existing = self._state.papers[paper.paper_id]
                raise Conflict(f"The paper {paper.paper_id} exists already.", "paper_exists", existing=existing)
            self._refuse_taken_slug(paper)
            self._state.papers[paper.paper_id] = paper
            self._state.audit.append(audit)
            return paper

    def get(self, paper_id: str) -> Paper:
        with self._state.lock:
            if paper_id not in self._state.papers:
                raise NotFound("There is no such paper.", "paper_not_found")
            return self._state.papers[paper_id]

    def change(self, paper_id: str, edit: Callable[[Paper], Paper], audit: AuditRow) -> Paper:
        with self._state.lock:
            paper = edit(self.get(paper_id))
            self._refuse_taken_slug(paper)
            self._state.papers[paper_id] = paper
            self._state.audit.append(audit)
            return paper

    def slug_is_taken(self, owner: str, slug: str) -> bool:
        with self._state.lock:
            return any((paper.owner, paper.slug) == (owner, slug) for paper in self._state.papers.values())

    def page(
        self,
        *,
        words: Sequence[str],
        sort: str,
        descending: bool,
        after: tuple[Any, ...] | None,
        limit: int,
        scopes: Sequence[str] = (),
        usable: bool | None = None,
        source_types: Sequence[str] = (),
        with_private: bool = True,
    ) -> Page[Paper]:
        def is_wanted(paper: Paper) -> bool:
            assessment = licence.classify(paper.license)
            return (
                all(search_text.fold(word) in search_text.of_paper(paper) for word in words)
                and (not scopes or assessment.scope in scopes)
                and usable in (None, assessment.usable)
                and (not source_types or paper.source_type in source_types)
                and (with_private or paper.visibility == "public")
            )

        with self._state.lock:
            papers = [paper for paper in self._state.papers.values() if is_wanted(paper)]
        rest = _behind(papers, sort, descending, after)
        return paging.cut(rest, limit, lambda paper: paper_order.place(sort, paper))

    def delete(self, paper_id: str, audit: AuditRow) -> tuple[StoredFile, ...]:
        with self._state.lock:
            paper = self.get(paper_id)
            runs = [run for run in self._state.runs.values() if run.repository_id == paper.repository_id]
            active = [run.run_id for run in sorted(runs, key=lambda run: run.created_at) if not run.is_final]
            if active:
                raise Conflict(f"{len(active)} runs are not over.", "paper_has_active_runs", job_ids=active)
            loose = [file for file in (paper.pdf, paper.ad_pdf, paper.ae_pdf) if file]
            loose += self._drop_unused(paper.repository_id)
            del self._state.papers[paper_id]
            self._state.audit.append(audit)
            return self._state.without_owner(loose)

    def _refuse_taken_slug(self, paper: Paper) -> None:
        for other in self._state.papers.values():
            if (other.owner, other.slug) == (paper.owner, paper.slug) and other.paper_id != paper.paper_id:
                raise Conflict(f"Another paper is called {paper.owner}/{paper.slug}.", "slug_taken")

    def _drop_unused(self, repository_id: str) -> list[StoredFile]:
        """Removes rubrics and submissions that no run uses; returns the files of the submissions."""
        state = self._state
        used = {run.rubric_id for run in state.runs.values()} | {run.submission_id for run in state.runs.values()}
        rubrics = [r for r in state.rubrics.values() if r.repository_id == repository_id and r.rubric_id not in used]
        for rubric in rubrics:
            del state.rubrics[rubric.rubric_id]
        submissions = [s for s in state.submissions.values() if s.repository_id == repository_id]
        unused = [s for s in submissions if s.submission_id not in used]
        for submission in unused:
            del state.submissions[submission.submission_id]
        return [submission.file for submission in unused]


def _behind(papers: list[Paper], sort: str, descending: bool, after: tuple[Any, ...] | None) -> list[Paper]:
    """Papers in order, from behind the place `after` on, whether that paper is still there or not."""
    places = {paper.paper_id: paper_order.place(sort, paper) for paper in papers}
    ordered = sorted(papers, key=lambda paper: paper.paper_id)
    keyed = [paper for paper in ordered if places[paper.paper_id][0] is not None]
    keyed.sort(key=lambda paper: places[paper.paper_id][0], reverse=descending)
    keyless = [paper for paper in ordered if places[paper.paper_id][0] is None]
    if after is None:
        return keyed + keyless
    key, paper_id = after
    if key is None:
        return [paper for paper in keyless if paper.paper_id > paper_id]

    def is_behind(place: tuple[Any, Any]) -> bool:
        beyond = place[0] < key if descending else place[0] > key
        return bool(beyond or (place[0] == key and place[1] > paper_id))

    return [paper for paper in keyed if is_behind(places[paper.paper_id])] + keyless
