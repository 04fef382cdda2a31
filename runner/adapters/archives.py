"""Submission archives: looked at without writing anything, and unpacked into a fresh folder.

An archive is read twice to be unpacked: the first byte is written when every member has been found good.
"""

from __future__ import annotations

import contextlib
import hashlib
import pathlib
from collections.abc import Iterator
from typing import BinaryIO

from runner.adapters.archive_formats import Read, members
from runner.adapters.tree_writer import TreeWriter
from runner.domain import archive_layout, archive_names
from runner.domain.archive_layout import Content, Layout
from runner.domain.archive_rules import Admission, bad_archive
from runner.domain.errors import Unavailable
from runner.domain.papers import SubmissionFile
from runner.ports import Listing

CHUNK_BYTES = 2**20
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1"


class ArchiveFiles:
    """The port `Archives`. Both methods raise Invalid `submission_bad_archive`, `submission_empty`, `lfs_pointer`,
    `submission_unsafe_member` (each fault: the member's name and why), TooLarge `submission_too_large`, and Unavailable
    `storage_unavailable` when the archive cannot be read or the folder not be written.
    """

    def inspect(self, path: pathlib.Path) -> Listing:
        with _opened(path) as (archive, size_bytes):
            return _listing(_examine(archive, size_bytes))

    def unpack(self, path: pathlib.Path, into: pathlib.Path) -> Listing:
        """`into` must not exist; it is not there either when this raises."""
        with _opened(path) as (archive, size_bytes):
            layout = _examine(archive, size_bytes)
            archive.seek(0)
            with TreeWriter(into) as tree:
                _write(archive, size_bytes, layout, tree)
        return _listing(layout)


@contextlib.contextmanager
def _opened(path: pathlib.Path) -> Iterator[tuple[BinaryIO, int]]:
    try:
        with path.open("rb") as archive:
            yield archive, path.stat().st_size
    except OSError as error:
        raise Unavailable(
            f"the submission cannot be read or unpacked: {error.strerror}", "storage_unavailable"
        ) from None


def _examine(archive: BinaryIO, size_bytes: int) -> Layout:
    admission = Admission(size_bytes)
    for member, read in members(archive, size_bytes):
        path = admission.admit(member)
        if path is not None:
            admission.add(path, member.size_bytes, member.executable, _content(read, member.size_bytes))
    return admission.finish()


def _content(read: Read, size_bytes: int) -> Content:
    digest, first = hashlib.sha256(), b""
    for chunk in _chunks(read, size_bytes):
        digest.update(chunk)
        first = first or chunk
    return Content(digest.hexdigest(), first.split(b"\n", 1)[0].rstrip(b"\r") == LFS_POINTER, b"\r\n" in first)


def _chunks(read: Read, size_bytes: int) -> Iterator[bytes]:
    while size_bytes > 0:
        chunk = read(min(size_bytes, CHUNK_BYTES))
        if not chunk:
            raise bad_archive("it ends inside a member")
        size_bytes -= len(chunk)
        yield chunk


def _write(archive: BinaryIO, size_bytes: int, layout: Layout, tree: TreeWriter) -> None:
    """Links come last: until then there is none that a path could lead through."""
    for folder in layout.folders:
        tree.folder(folder)
    for member, read in members(archive, size_bytes):
        if member.kind == "file":
            path = layout.below_root(archive_names.clean(member.name))
            with tree.file(path, member.executable) as file:
                for chunk in _chunks(read, member.size_bytes):
                    file.write(chunk)
    for copy in layout.files:
        if copy.copy_of is not None:
            tree.copy(copy.copy_of, copy.path, copy.executable)
    for path, target in layout.links:
        tree.link(path, target)


def _listing(layout: Layout) -> Listing:
    files = tuple(SubmissionFile(file.path, file.size_bytes, file.content.sha256) for file in layout.files)
    return Listing(files, layout.links, len(files), archive_layout.warnings(layout))
