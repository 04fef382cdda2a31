"""Where an attempt works on this host: a folder per run in the scratch folder, a folder per attempt in it."""

from __future__ import annotations

import hashlib
import pathlib
from dataclasses import dataclass

from runner.domain.errors import NotFound
from runner.domain.papers import StoredFile
from runner.domain.run import Evidence
from runner.ports import Ports
from runner.stages import whole_trees

_CHUNK = 1 << 20


class CorruptObject(Exception):
    """Stored bytes no longer have the digest they were stored under."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """`tree` is the submission's root and the script's cwd, `tmp` its private TMPDIR, `log` our own raw log."""

    root: pathlib.Path

    @property
    def tree(self) -> pathlib.Path:
        return self.root / "submission"

    @property
    def tmp(self) -> pathlib.Path:
        return self.root / "scratch"

    @property
    def aside(self) -> pathlib.Path:
        return self.root / "aside"

    @property
    def archive(self) -> pathlib.Path:
        return self.root / "submission.archive"

    @property
    def log(self) -> pathlib.Path:
        return self.root / "reproduce.log"


def open_fresh(ports: Ports, run_id: str, name: int | str) -> Workplace:
    """An empty workplace; whatever an earlier try of the same attempt left is removed."""
    place = find(ports, run_id, name)
    whole_trees.remove(place.root)
    for folder in (place.root, place.tmp, place.aside):
        folder.mkdir(mode=0o700, parents=True)
    return place


def find(ports: Ports, run_id: str, name: int | str) -> Workplace:
    """The workplace of a reproduce attempt (its number), or another one by name, whether it exists or not."""
    return Workplace(ports.scratch / run_id / str(name))


def clear(ports: Ports, run_id: str) -> None:
    """Removes everything of a run from the scratch folder."""
    whole_trees.remove(ports.scratch / run_id)


def sweep(ports: Ports) -> None:
    """Removes what runs that have ended left on this host: a worker that was killed cannot do it."""
    for folder in ports.scratch.glob("run_*"):
        try:
            is_over = ports.runs.get(folder.name).is_final
        except NotFound:
            is_over = True
        if is_over:
            whole_trees.remove(folder)


def fetch(ports: Ports, stored: StoredFile | Evidence, target: pathlib.Path) -> None:
    """Copies an object to `target`. Raises CorruptObject when its digest is not the stored one."""
    digest = hashlib.sha256()
    with ports.objects.open(stored.key) as source, open(target, "wb") as copy:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            copy.write(chunk)
    if digest.hexdigest() != stored.sha256:
        raise CorruptObject(stored.sha256)
