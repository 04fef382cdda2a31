"""Verbs on a paper's rubric: store a version, show one (contract: paperbench-api.md 2, rubric-and-judge.md 1-3, 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from runner.domain import clean_text, given_rubric, ids, json_text, rubric_hash
from runner.domain.access import AuditRow
from runner.domain.errors import Invalid
from runner.domain.given_rubric import GivenRubric
from runner.domain.papers import Paper, RubricVersion
from runner.domain.times import utc_text
from runner.ports import Ports
from runner.usecases import given_files
from runner.usecases.given_files import Intake


@dataclass(frozen=True, slots=True)
class Put:
    """`outcome` is `created`, `same` or `flags` (flags alone were replaced)."""

    rubric: RubricVersion
    outcome: str
    warnings: list[dict[str, str]]


def put(ports: Ports, *, paper_id: str, body: bytes, if_version: int | None, intake: Intake, actor: str | None) -> Put:
    """Stores the rubric in `body`: a tree, an envelope, or `{"path": handle}` of an uploaded one.

    Raises NotFound `paper_not_found`, Malformed `bad_json`, Invalid `rubric_invalid` with every fault, Conflict
    `version_conflict`, and what `given_files.read` raises.
    """
    paper = ports.papers.get(paper_id)
    given = _accepted(ports, body, intake)
    version = RubricVersion(
        rubric_id=ids.new("rub"),
        repository_id=paper.repository_id,
        version=0,
        sha256=given.sha256,
        leaves_count=given.leaves_count,
        categories=given.categories,
        origin="given",
        tree=given.tree,
        envelope=given.envelope,
        flags=given.flags,
        created_at=ports.clock.now(),
    )
    audit = AuditRow(version.created_at, actor, "rubric", paper_id)
    stored, outcome = ports.rubrics.add(version, if_version, audit)
    return Put(stored, outcome, _warnings(given, paper))


def get(ports: Ports, *, paper: Paper, version: int | None) -> RubricVersion:
    """The newest version, or the one asked for. Raises NotFound `rubric_not_found`."""
    if version is None:
        return ports.rubrics.newest(paper.repository_id)
    return ports.rubrics.version(paper.repository_id, version)


def view(rubric: RubricVersion) -> dict[str, Any]:
    """The rubric with its tree, flags put back in."""
    facts = summary(rubric) | {"created_at": utc_text(rubric.created_at), "origin": rubric.origin}
    return facts | {"rubric": rubric_hash.with_flags(rubric.tree, rubric.flags)}


def summary(rubric: RubricVersion) -> dict[str, Any]:
    return {
        "rubric_id": rubric.rubric_id,
        "version": rubric.version,
        "sha256": rubric.sha256,
        "leaves_count": rubric.leaves_count,
        "categories": rubric.categories,
    }


def _accepted(ports: Ports, body: bytes, intake: Intake) -> GivenRubric:
    data = _parsed(body)
    if isinstance(data, dict) and data.keys() == {"path"} and isinstance(data["path"], str):
        limit = Intake(intake.roots, min(intake.max_bytes, json_text.MAX_BODY_BYTES))
        data = _parsed(given_files.read(ports, data["path"], field="path", intake=limit))
    return given_rubric.accept(data)


def _parsed(body: bytes) -> Any:
    data = json_text.parse(body, given_rubric.CODE)
    if faults := clean_text.faults(data):
        raise Invalid("The rubric holds text that cannot be stored; see details.", given_rubric.CODE, faults)
    return data


def _warnings(given: GivenRubric, paper: Paper) -> list[dict[str, str]]:
    told = [warning.to_json() for warning in given.warnings]
    made_for = given.envelope.get("paper_sha256")
    if made_for and paper.pdf and made_for.lower() != paper.pdf.sha256:
        told.append({"code": "paper_changed", "message": "The rubric was made for another PDF than the paper has now."})
    return told
