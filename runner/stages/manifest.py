"""What lies in a tree: every plain file with its digest, every link with its target (reproduction.md 2).

Times never matter. Links are told, never followed. The tree is a stranger's: it may be deeper than a path can say, hold
pipes, and folders that cannot be opened; all of that is told as `special` or `unreadable`. So is a file whose name is no
UTF-8 (shown with U+FFFD): it cannot stand in JSON, and no check can name it.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal
from unicodedata import normalize

from runner.domain import tree_paths
from runner.domain.executed_tree import LOG_NAME

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
    return Manifest(tuple(sorted(_walk(tree), key=lambda entry: entry.path.encode())))


def produced(before: Manifest, after: Manifest) -> list[Entry]:
    """What is new after the run, and files whose content differs. Folders, modes and times say nothing.

    `reproduce.log` at the root is ours: one that the script wrote is `special`, and so never an output.
    """
    known = {entry.path: _content(entry) for entry in before.entries}
    new = [entry for entry in after.entries if known.get(entry.path) != _content(entry)]
    return [replace(entry, kind="special", sha256=None) if entry.path == LOG_NAME else entry for entry in new]


def missing(expected: Sequence[str], made: Sequence[str]) -> list[str]:
    """Expected artifacts (paths, folders, globs of either) that no produced file satisfies."""
    there = {normalize("NFC", path) for file in made for path in (file, *_parents(file))}
    return [path for path in expected if not _is_there(normalize("NFC", path), there)]


def _is_there(expected: str, there: Collection[str]) -> bool:
    path = tree_paths.normal(expected.rstrip("/"))
    if path is None:
        return False
    return path in there or (tree_paths.is_glob(path) and any(map(tree_paths.glob(path).matches, there)))


def _parents(path: str) -> Iterator[str]:
    return (path[: found.start()] for found in re.finditer("/", path))


def _content(entry: Entry) -> tuple[Kind, str | None, str | None]:
    return entry.kind, entry.sha256, entry.target


def _walk(tree: pathlib.Path) -> Iterator[Entry]:
    """No recursion: a tree may be deeper than our stack."""
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(os.path.join(tree, folder)) as found:
                children = list(found)
        except OSError:  # shut, or its path is longer than the system accepts
            yield Entry(_shown(folder), "unreadable")
            continue
        for child in children:
            path = f"{folder}/{child.name}" if folder else child.name
            if child.is_dir(follow_symlinks=False):
                folders.append(path)
            else:
                yield _entry(child, path)


def _entry(child: os.DirEntry[str], path: str) -> Entry:
    try:
        facts = child.stat(follow_symlinks=False)
        if stat.S_ISLNK(facts.st_mode):
            return Entry(_shown(path), "link", target=_shown(os.readlink(child.path)))
        mode = stat.S_IMODE(facts.st_mode)
        if not stat.S_ISREG(facts.st_mode):
            return Entry(_shown(path), "special", mode=mode)
        if _shown(path) != path:
            return Entry(_shown(path), "unreadable", facts.st_size, mode)
    except OSError:
        return Entry(_shown(path), "unreadable")
    try:
        return Entry(path, "file", facts.st_size, mode, _digest(child.path))
    except OSError:
        return Entry(path, "unreadable", facts.st_size, mode)


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _shown(path: str) -> str:
    """Bytes that are not UTF-8 become U+FFFD."""
    return os.fsencode(path).decode("utf-8", "replace")
