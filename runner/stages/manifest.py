"""What lies in a tree: every plain file with its digest, every link with its target (reproduction.md 2).

Times never matter. Links are told, never followed. Names that are not UTF-8 are kept apart as `unreadable`: they cannot
stand in JSON, and no check can name them.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import stat
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from runner.domain import tree_paths

_CHUNK = 1 << 20

Kind = Literal["file", "link", "special", "unreadable"]


@dataclass(frozen=True, slots=True)
class Entry:
    """`path` is relative with `/`; `sha256` is of a file's content, `target` of a link."""

    path: str
    kind: Kind
    size_bytes: int = 0
    mode: int = 0
    sha256: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """Entries sorted by the bytes of their paths; `sha256` over all of them is the tree's digest."""

    entries: tuple[Entry, ...]

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.to_json()).hexdigest()

    def files(self) -> dict[str, Entry]:
        return {entry.path: entry for entry in self.entries if entry.kind == "file"}

    def to_json(self) -> bytes:
        return json.dumps([asdict(entry) for entry in self.entries], ensure_ascii=False, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Manifest:
        return cls(tuple(Entry(**row) for row in json.loads(data)))


def take(tree: pathlib.Path) -> Manifest:
    """The manifest of a folder."""
    entries = sorted(_walk(tree, ""), key=lambda entry: entry.path.encode("utf-8", "surrogateescape"))
    return Manifest(tuple(entries))


def produced(before: Manifest, after: Manifest) -> list[Entry]:
    """What is new after the run, and files whose content differs. Folders and times say nothing."""
    known = {entry.path: (entry.kind, entry.sha256, entry.target) for entry in before.entries}
    return [entry for entry in after.entries if known.get(entry.path) != (entry.kind, entry.sha256, entry.target)]


def _walk(folder: pathlib.Path, prefix: str) -> Iterator[Entry]:
    try:
        children = list(os.scandir(folder))
    except PermissionError:
        yield Entry(_shown(prefix.rstrip("/")), "unreadable")
        return
    for child in children:
        path = prefix + child.name
        if child.is_dir(follow_symlinks=False):
            yield from _walk(pathlib.Path(child.path), f"{path}/")
        else:
            yield _entry(child, path)


def _entry(child: os.DirEntry[str], path: str) -> Entry:
    facts = child.stat(follow_symlinks=False)
    if stat.S_ISLNK(facts.st_mode):
        return Entry(_shown(path), "link", target=_shown(os.readlink(child.path)))
    if not stat.S_ISREG(facts.st_mode):
        return Entry(_shown(path), "special", mode=stat.S_IMODE(facts.st_mode))
    if _shown(path) != path:
        return Entry(_shown(path), "unreadable", facts.st_size)
    try:
        digest = _digest(child.path)
    except PermissionError:
        return Entry(path, "unreadable", facts.st_size, stat.S_IMODE(facts.st_mode))
    return Entry(path, "file", facts.st_size, stat.S_IMODE(facts.st_mode), digest)


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _shown(path: str) -> str:
    """Bytes that are not UTF-8 become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")


def missing(expected: Sequence[str], made: Sequence[str]) -> list[str]:
    """Expected artifacts (paths, folders, globs) that no produced file satisfies."""
    return [path for path in expected if not any(_satisfies(path, each) for each in made)]


def _satisfies(expected: str, path: str) -> bool:
    plain = "/".join(part for part in expected.split("/") if part not in ("", "."))
    return path.startswith(f"{plain}/") or tree_paths.glob(plain).matches(path)
