"""The executed tree as the judge sees it: as the script left it, or built again from what was kept."""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Mapping

from runner.domain.executed_tree import LOG_NAME, FileFact
from runner.domain.run import Evidence, Run
from runner.ports import Ports, each_page
from runner.stages import manifest, starting_tree, whole_trees, workplace
from runner.stages.keeping import AFTER, BEFORE
from runner.stages.manifest import Manifest
from runner.stages.tree_files import NotAFile, open_plain
from runner.stages.workplace import Workplace


class WorkTree:
    """The domain's ExecutedTree on disk."""

    def __init__(self, root: pathlib.Path, after: Manifest, produced: frozenset[str], log: pathlib.Path | None) -> None:
        self.root = root
        self._after = after
        self._produced = produced
        self._log = log

    @functools.cached_property
    def _files(self) -> dict[str, FileFact]:
        return {
            path: FileFact(entry.size_bytes, entry.sha256 or "", path in self._produced)
            for path, entry in self._after.files().items()
            if path != LOG_NAME
        }

    def files(self) -> Mapping[str, FileFact]:
        return self._files

    def read(self, path: str, limit_bytes: int) -> bytes | None:
        fact = self._files.get(path)
        if fact is None or fact.size_bytes > limit_bytes:
            return None
        try:
            with open_plain(self.root, path) as file:
                return file.read()
        except NotAFile:
            return None

    def read_log(self, limit_bytes: int) -> bytes | None:
        if self._log is None or not self._log.exists() or self._log.stat().st_size > limit_bytes:
            return None
        return self._log.read_bytes()


def open_tree(ports: Ports, run: Run, number: int) -> WorkTree:
    """The tree of the newest reproduce attempt; `number` is the judge's attempt, whose workplace a rebuilt tree uses.

    Raises CorruptObject when stored bytes have changed.
    """
    attempt = run.newest("reproduce")
    if attempt is None:
        return _submission_alone(ports, run, number)
    prefix = f"runs/{run.run_id}/reproduce-{attempt.number}/"
    stored = each_page(lambda after: ports.runs.evidence(run.run_id, after, 1000))
    kept: dict[tuple[str, str], Evidence] = {
        (item.kind, item.name): item for item in stored if item.key.startswith(prefix)
    }
    place = workplace.find(ports, run.run_id, attempt.number)
    after = Manifest.from_json(_read(ports, kept["manifest", AFTER]))
    before = Manifest.from_json(_read(ports, kept["manifest", BEFORE]))
    if not place.tree.exists() or manifest.take(place.tree).sha256 != after.sha256:
        place = _rebuilt(ports, run, number, kept, after)
    produced = frozenset(entry.path for entry in manifest.produced(before, after))
    return WorkTree(place.tree, after, produced, place.log)


def _submission_alone(ports: Ports, run: Run, number: int) -> WorkTree:
    place = _unpacked(ports, run, number)
    return WorkTree(place.tree, manifest.take(place.tree), frozenset(), None)


def _unpacked(ports: Ports, run: Run, number: int) -> Workplace:
    assert run.submission_id is not None
    place = workplace.open_fresh(ports, run.run_id, f"judge-{number}")
    workplace.fetch(ports, ports.submissions.get(run.submission_id).file, place.archive)
    ports.archives.unpack(place.archive, place.tree)
    starting_tree.set_aside(place.tree, place.aside, ())
    return place


def _rebuilt(
    ports: Ports, run: Run, number: int, kept: Mapping[tuple[str, str], Evidence], after: Manifest
) -> Workplace:
    """Submission, less what the script deleted, plus what it made and was kept."""
    place = _unpacked(ports, run, number)
    wanted = after.files()
    for path in set(manifest.take(place.tree).files()) - set(wanted):
        (place.tree / path).unlink()
    for (kind, name), item in kept.items():
        if kind == "output" and name in wanted:
            workplace.fetch(ports, item, _room_for(place.tree, name))
    workplace.fetch(ports, kept["log", LOG_NAME], place.log)
    return place


def _room_for(tree: pathlib.Path, name: str) -> pathlib.Path:
    """The place of a file, real folders above it: what the script replaced by them is taken away."""
    target = tree / name
    for folder in [*reversed(target.relative_to(tree).parents[:-1]), target.relative_to(tree)]:
        there = tree / folder
        if there.is_symlink() or there.is_file() or (there == target and there.is_dir()):
            whole_trees.remove(there)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _read(ports: Ports, item: Evidence) -> bytes:
    with ports.objects.open(item.key) as file:
        return file.read()
