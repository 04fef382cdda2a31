"""Verbs on papers: register, list, show, change, delete (contract: paperbench-api.md 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from runner.domain import licence, search_text
from runner.domain.access import AuditRow
from runner.domain.entry import entry
from runner.domain.errors import Conflict, NotFound
from runner.domain.papers import Paper
from runner.ports import Page, Ports
from runner.usecases import paper_files
from runner.usecases.given_files import Intake
from runner.usecases.paper_files import FileField

LINK_VALID_S = 3600


@dataclass(frozen=True, slots=True)
class Change:
    """What a patch asks for: `values` by field of `Paper`, `files` by field with None for "remove it"."""

    values: Mapping[str, Any]
    files: Mapping[FileField, str | None] = field(default_factory=dict)
    version: int | None = None


def view(ports: Ports, paper: Paper) -> dict[str, Any]:
    """The entry of `paper`."""
    return entry(paper, ports.objects.location(f"papers/{paper.paper_id}/"))


def get(ports: Ports, *, paper_id: str, with_private: bool = True) -> Paper:
    """Raises NotFound `paper_not_found`, also for a private paper that the asker may not see."""
    paper = ports.papers.get(paper_id)
    if paper.visibility == "private" and not with_private:
        raise NotFound("There is no such paper.", "paper_not_found")
    return paper


def page(
    ports: Ports,
    *,
    q: str = "",
    sort: str = "imported_at",
    descending: bool = True,
    after: tuple[Any, ...] | None = None,
    limit: int = 50,
    scopes: Sequence[str] = (),
    usable: bool | None = None,
    source_types: Sequence[str] = (),
    with_private: bool = True,
) -> Page[Paper]:
    """Papers in which every word of `q` occurs."""
    return ports.papers.page(
        words=search_text.fold(q).split(),
        sort=sort,
        descending=descending,
        after=after,
        limit=limit,
        scopes=scopes,
        usable=usable,
        source_types=source_types,
        with_private=with_private,
    )


def change(ports: Ports, *, paper_id: str, asked: Change, intake: Intake, actor: str | None) -> Paper:
    """Applies a patch. Patches of different fields at once are both kept.

    Raises NotFound `paper_not_found`, Conflict `version_conflict` (fact `version`) or `slug_taken`, and what
    `paper_files.checked` raises.
    """
    ports.papers.get(paper_id)
    values = dict(asked.values)
    if "license" in values:
        values |= {"license": licence.normalise(values["license"]), "license_source": "given"}
    values |= {paper_files.entry_field(name): None for name, given in asked.files.items() if given is None}
    wanted = {name: given for name, given in asked.files.items() if given is not None}
    with paper_files.checked(ports, wanted, intake) as files, paper_files.stored(ports, paper_id, files) as made:
        values |= made
        if "pdf_path" in asked.files:
            values["pdf_has_text"] = any(file.has_text for file in files if file.field == "pdf_path")
        audit = AuditRow(ports.clock.now(), actor, "change", paper_id)
        return ports.papers.change(paper_id, lambda paper: _changed(paper, values, asked.version, audit), audit)


def delete(ports: Ports, *, paper_id: str, force: bool, actor: str | None) -> bool:
    """False when there is no such paper. What finished runs used stays with them.

    Raises Conflict `paper_has_active_runs` (fact `job_ids`); with `force` these are cancelled first, and the refusal
    comes only if they have not stopped within some 20 s.
    """
    audit = AuditRow(ports.clock.now(), actor, "delete", paper_id)
    try:
        loose = _delete_cancelling(ports, paper_id, audit) if force else ports.papers.delete(paper_id, audit)
    except NotFound:
        return False
    for file in loose:
        ports.objects.delete(file.key)
    return True


def pdf_link(ports: Ports, paper: Paper) -> str:
    """A signed address of the paper's PDF, shown in the browser. Raises NotFound `pdf_not_found`."""
    if paper.pdf is None:
        raise NotFound("This paper has no PDF.", "pdf_not_found")
    name = f"{paper.paper_id}.pdf"
    return ports.objects.url(
        paper.pdf.key, filename=name, content_type="application/pdf", inline=True, valid_s=LINK_VALID_S
    )


STOP_LIMIT_S = 20.0
STOP_LOOK_S = 0.2


def _delete_cancelling(ports: Ports, paper_id: str, audit: AuditRow) -> Sequence[Any]:
    """Deletes as soon as the runs that were told to stop have stopped."""
    until = ports.clock.monotonic() + STOP_LIMIT_S
    told: set[str] = set()
    while True:
        try:
            return ports.papers.delete(paper_id, audit)
        except Conflict as error:
            if error.code != "paper_has_active_runs" or ports.clock.monotonic() >= until:
                raise
            _cancel(ports, [job for job in error.facts["job_ids"] if job not in told], audit.actor)
            told.update(error.facts["job_ids"])
        ports.clock.sleep(STOP_LOOK_S)


def _cancel(ports: Ports, job_ids: Sequence[str], actor: str | None) -> None:
    for job_id in job_ids:
        now = ports.clock.now()
        try:
            ports.runs.request_cancel(job_id, AuditRow(now, actor, "cancel", job_id), now)
        except Conflict as error:
            if error.code != "run_not_active":
                raise


def _changed(paper: Paper, values: Mapping[str, Any], version: int | None, audit: AuditRow) -> Paper:
    if version is not None and version != paper.version:
        sentence = f"The paper has changed meanwhile: its version is {paper.version}, not {version}."
        raise Conflict(sentence, "version_conflict", version=paper.version)
    changed = replace(paper, **values)
    if changed == paper:
        return paper
    return replace(changed, version=paper.version + 1, updated_at=audit.at)
