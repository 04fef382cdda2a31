"""After the script: what it made is told apart from what was there, and kept as evidence (reproduction.md 2, archive)."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal

from runner.domain import content_types, ids
from runner.domain.run import Evidence
from runner.ports import Claimed, Ports
from runner.stages import manifest
from runner.stages.manifest import Entry, Manifest
from runner.stages.tree_files import NotAFile, open_plain
from runner.stages.workplace import Workplace

LOG_NAME = "reproduce.log"
BEFORE, AFTER = "manifest-before.json", "manifest-after.json"
FILE_LIMIT_BYTES = 512 * 2**20
TOTAL_LIMIT_BYTES = 20 * 2**30

Kind = Literal["submission", "log", "output", "manifest"]
Omission = Literal["too_large", "total_limit", "special", "unreadable"]


@dataclass(frozen=True, slots=True)
class Kept:
    """`record` is `produced`, `missing`, `omitted` of the results; `evidence` what is stored."""

    record: dict[str, Any]
    evidence: tuple[Evidence, ...]


def keep_log(ports: Ports, claimed: Claimed, place: Workplace) -> Kept:
    """Of a run that was stopped: the log as far as it goes."""
    shelf = _Shelf(ports, claimed)
    with open(place.log, "rb") as log:
        shelf.put(LOG_NAME, "log", log)
    return Kept({}, tuple(shelf.evidence))


def keep(
    ports: Ports,
    claimed: Claimed,
    place: Workplace,
    before: Manifest,
    expected: Sequence[str],
    before_each: Callable[[], None],
) -> Kept:
    """Stores the log, both manifests and every produced file within the limits; names what is left out, and why.

    `before_each` is called before every file; what it raises ends the keeping.
    """
    shelf = _Shelf(ports, claimed)
    after = manifest.take(place.tree)
    with open(place.log, "rb") as log:
        shelf.put(LOG_NAME, "log", log)
    made = manifest.produced(before, after)
    omitted = _store_outputs(shelf, place, made, before_each)
    shelf.put(BEFORE, "manifest", io.BytesIO(before.to_json()))
    shelf.put(AFTER, "manifest", io.BytesIO(after.to_json()))
    shelf.add_submission()
    files = [entry for entry in made if entry.kind == "file"]
    record = {
        "produced": [{"path": e.path, "size_bytes": e.size_bytes, "sha256": e.sha256} for e in files],
        "missing": manifest.missing(expected, [entry.path for entry in files]),
        "omitted": omitted,
        "tree_sha256": after.sha256,
    }
    return Kept(record, tuple(shelf.evidence))


def _store_outputs(
    shelf: _Shelf, place: Workplace, made: Sequence[Entry], before_each: Callable[[], None]
) -> list[dict[str, Any]]:
    """Stores what fits; returns a row for each produced thing that is left out. Small files go first: none is crowded out."""
    omitted, room = [], TOTAL_LIMIT_BYTES
    for entry in sorted(made, key=lambda each: each.size_bytes):
        before_each()
        reason = _reason_to_omit(entry, room)
        if reason is None:
            try:
                with open_plain(place.tree, entry.path) as file:
                    shelf.put(entry.path, "output", file)
                room -= entry.size_bytes
                continue
            except NotAFile:
                reason = "unreadable"
        omitted.append({"path": entry.path, "size_bytes": entry.size_bytes, "reason": reason})
    return sorted(omitted, key=lambda row: str(row["path"]))


def _reason_to_omit(entry: Entry, room: int) -> Omission | None:
    """A link inside the tree is no file of its own: it is told as `special`, like all that is not plain."""
    if entry.kind in ("link", "special"):
        return "special"
    if entry.kind == "unreadable":
        return "unreadable"
    if entry.size_bytes > FILE_LIMIT_BYTES:
        return "too_large"
    return "total_limit" if entry.size_bytes > room else None


class _Shelf:
    """Where the evidence of one attempt is put."""

    def __init__(self, ports: Ports, claimed: Claimed) -> None:
        self._ports = ports
        self._run = claimed.run
        self._attempt = claimed.attempt
        self.evidence: list[Evidence] = []

    def put(self, name: str, kind: Kind, data: BinaryIO) -> None:
        evidence_id = ids.new("ev")
        content_type = content_types.of(name)
        key = f"runs/{self._run.run_id}/reproduce-{self._attempt.number}/{evidence_id}"
        stored = self._ports.objects.put(key, data, content_type)
        self._add(evidence_id, name, kind, stored.key, stored.sha256, stored.size_bytes, content_type)

    def add_submission(self) -> None:
        """The archive itself is stored already."""
        assert self._run.submission_id is not None
        file = self._ports.submissions.get(self._run.submission_id).file
        self._add(
            ids.new("ev"),
            "submission.archive",
            "submission",
            file.key,
            file.sha256,
            file.size_bytes,
            content_types.DEFAULT,
        )

    def _add(
        self, evidence_id: str, name: str, kind: Kind, key: str, sha256: str, size_bytes: int, content_type: str
    ) -> None:
        now = self._ports.clock.now()
        item = Evidence(evidence_id, self._run.run_id, name, kind, key, sha256, size_bytes, content_type, now)
        self.evidence.append(item)
