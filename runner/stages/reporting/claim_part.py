"""Section 3: each claim in three separate parts, plan, execution and assessment, and its measurements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from runner.stages.reporting import stored
from runner.stages.reporting.criteria_part import Criterion
from runner.stages.reporting.measurement_part import Measurement
from runner.stages.reporting.quantities import Percent, percent
from runner.stages.reporting.stored import JsonObject

_NUMBERS = re.compile(r"\A\d+ of \d+ criteri(?:a|on) judged \(coverage [^\s)]+\), score \S+\.(?:\s+|\Z)")
CONCLUSIONS = ("supports", "challenges", "contradicts", "insufficient")


@dataclass(frozen=True, slots=True)
class Assessment:
    """One judgement of the claim: the run's own, or a person's."""

    conclusion: str
    assessor_kind: str
    assessor_name: str | None
    rationale: str | None
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Claim:
    """`criteria` is None when the rubric does not say which criteria belong to the claim."""

    id: str
    text: str
    conclusion: str | None
    score: Percent | None
    coverage: Percent | None
    criteria: tuple[Criterion, ...] | None
    measurements: tuple[Measurement, ...]
    own: tuple[Assessment, ...]
    reviews: tuple[Assessment, ...]

    @property
    def is_partial(self) -> bool:
        """Some of its criteria were not judged: `score` is that of the judged part."""
        return self.coverage is not None and self.coverage.value < 100

    def planned(self) -> tuple[tuple[str, int], ...]:
        """How many criteria of each category would verify the claim, in the order they stand in."""
        found: dict[str, int] = {}
        for each in self.criteria or ():
            found[each.category] = found.get(each.category, 0) + 1
        return tuple(found.items())

    def evidence(self) -> tuple[str, ...]:
        """The files the verdicts under this claim rest on, without line numbers."""
        places = [place for each in self.criteria or () for place in each.evidence]
        return tuple(dict.fromkeys(place.rpartition(":")[0] if _has_line(place) else place for place in places))


def read(
    results: JsonObject | None, tree: JsonObject, criteria: Sequence[Criterion], measurements: Sequence[Measurement]
) -> tuple[Claim, ...]:
    pointers = dict(_claim_pointers(tree))
    return tuple(
        _claim(item, pointers, criteria, tuple(m for m in measurements if m.claim_id == item.get("claim_id")))
        for item in stored.objects(results, "claims")
    )


def _claim(
    item: JsonObject, pointers: dict[str, str], criteria: Sequence[Criterion], measurements: tuple[Measurement, ...]
) -> Claim:
    claim_id, text = stored.text(item, "claim_id") or "", stored.text(item, "text") or ""
    pointer = pointers.get(claim_id, pointers.get(text))
    judged = [_assessment(each) for each in stored.objects(item, "assessments")]
    return Claim(
        id=claim_id,
        text=text,
        conclusion=_conclusion(item),
        score=percent(stored.number(item, "score")),
        coverage=percent(stored.number(item, "coverage")),
        criteria=None if pointer is None else tuple(c for c in criteria if _is_under(c.pointer, pointer)),
        measurements=measurements,
        own=tuple(each for each in judged if each.assessor_kind != "human"),
        reviews=tuple(each for each in judged if each.assessor_kind == "human"),
    )


def _assessment(item: JsonObject) -> Assessment:
    assessor = stored.child(item, "assessor")
    return Assessment(
        conclusion=_conclusion(item) or "insufficient",
        assessor_kind=stored.text(assessor, "kind") or "deterministic",
        assessor_name=stored.text(assessor, "name"),
        rationale=_rationale(item),
        at=stored.moment(item, "created_at"),
    )


def _rationale(item: JsonObject) -> str | None:
    """Without its first sentence if that repeats the numbers, which the report says in its own language."""
    return _NUMBERS.sub("", stored.block(item, "rationale") or "") or None


def _conclusion(item: JsonObject) -> str | None:
    found = stored.text(item, "conclusion")
    return found if found in CONCLUSIONS else None


def _claim_pointers(tree: JsonObject) -> Iterator[tuple[str, str]]:
    """Stated claims by id, and the root's children by their text: they are the claims when none is stated."""
    for index, part in enumerate(stored.objects(tree, "sub_tasks")):
        yield stored.text(part, "requirements") or "", f"/sub_tasks/{index}"
    for pointer, node in _walk(tree, ""):
        claim_id = stored.text(stored.child(node, "claim"), "id")
        if claim_id:
            yield claim_id, pointer


def _walk(node: JsonObject, pointer: str) -> Iterator[tuple[str, JsonObject]]:
    yield pointer, node
    for index, part in enumerate(stored.objects(node, "sub_tasks")):
        yield from _walk(part, f"{pointer}/sub_tasks/{index}")


def _is_under(pointer: str, ancestor: str) -> bool:
    return pointer == ancestor or pointer.startswith(ancestor + "/")


def _has_line(place: str) -> bool:
    return place.rpartition(":")[2].isdigit()
