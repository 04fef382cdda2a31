"""The submission inside an archive: its root, its files, and what a person should be told about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from runner.domain import archive_names

SCRIPT = "reproduce.sh"
MAX_NAMED = 20
"""So many files are named in the warnings of one kind."""


@dataclass(frozen=True, slots=True)
class Content:
    """What reading a plain file showed: `is_lfs_pointer` by its first line, `has_crlf` in its first MiB."""

    sha256: str
    is_lfs_pointer: bool = False
    has_crlf: bool = False


@dataclass(frozen=True, slots=True)
class ArchiveFile:
    """A plain file; `copy_of` is the path of the earlier file whose hard link it was."""

    path: str
    size_bytes: int
    executable: bool
    content: Content
    copy_of: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths are relative to `root`, a folder of the archive (`` = its top). Sorted by path bytes."""

    root: str
    files: tuple[ArchiveFile, ...]
    folders: tuple[str, ...]
    links: tuple[tuple[str, str], ...]

    def below_root(self, path: str) -> str:
        """The path of an archive member relative to the root."""
        return path[len(self.root) + 1 :] if self.root else path

    def in_archive(self, path: str) -> str:
        return f"{self.root}/{path}" if self.root else path

    def script(self) -> ArchiveFile | None:
        return next((file for file in self.files if file.path == SCRIPT), None)


def lay_out(files: Iterable[ArchiveFile], folders: Iterable[str], links: Mapping[str, str]) -> Layout:
    """One top folder that holds everything is the root, also nested. `folders` are those with a member of their own."""
    files, folders = list(files), list(folders)
    root = _root({*(file.path for file in files), *links}, folders)
    skip = len(root) + 1 if root else 0
    placed = [replace(f, path=f.path[skip:], copy_of=f.copy_of and f.copy_of[skip:]) for f in files]
    return Layout(
        root,
        tuple(sorted(placed, key=lambda file: file.path.encode())),
        tuple(sorted((folder[skip:] for folder in folders if len(folder) > len(root)), key=str.encode)),
        tuple(sorted(((path[skip:], target) for path, target in links.items()), key=lambda link: link[0].encode())),
    )


def _root(leaves: set[str], folders: list[str]) -> str:
    root = ""
    while True:
        begin = len(root) + 1 if root else 0
        inside = [path for path in folders if len(path) > len(root)]
        tops = {path[begin:].partition("/")[0] for path in (*leaves, *inside)}
        below = root[:begin] + "/" * bool(root) + tops.pop() if len(tops) == 1 else root
        if below == root or below in leaves:
            return root
        root = below


def warnings(layout: Layout) -> tuple[dict[str, str], ...]:
    """`no_reproduce_sh`, `crlf_script`, `lfs_pointer`, `case_collision`, each with a sentence."""
    script = layout.script()
    found = []
    if script is None:
        found.append(
            _warning("no_reproduce_sh", f"there is no plain file {SCRIPT} at the root: only code can be judged")
        )
    elif script.content.has_crlf:
        found.append(
            _warning("crlf_script", f"{SCRIPT} has Windows line ends, which bash takes for part of its commands")
        )
    pointers = [file.path for file in layout.files if file.content.is_lfs_pointer]
    found += [
        _warning("lfs_pointer", f"{path} is a Git LFS pointer, not the file itself") for path in pointers[:MAX_NAMED]
    ]
    found += [
        _warning("case_collision", f"{one} and {two} differ in case only")
        for one, two in _collisions(layout)[:MAX_NAMED]
    ]
    return tuple(found)


def _warning(code: str, message: str) -> dict[str, str]:
    return {"code": code, "message": message}


def _collisions(layout: Layout) -> list[tuple[str, str]]:
    seen: dict[str, str] = {}
    found = []
    leaves = [file.path for file in layout.files] + [path for path, _ in layout.links]
    for path in sorted({part for leaf in leaves for part in (*archive_names.parents(leaf), leaf)}, key=str.encode):
        first = seen.setdefault(archive_names.folded(path), path)
        if first != path and path.rpartition("/")[0] == first.rpartition("/")[0]:
            found.append((first, path))
    return found
