"""Bytes in a folder. Each part of a key is opened inside the one before, without following links: no key leads out."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import pathlib
import secrets
import stat
from collections.abc import Callable, Iterator, Sequence, Set
from datetime import datetime
from typing import BinaryIO

from runner.domain import object_key, signing
from runner.domain.errors import Invalid, NotFound, Unavailable
from runner.domain.papers import StoredFile

_CHUNK_BYTES = 1 << 20
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_IN_THE_WAY = {errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.ENOTEMPTY, errno.EEXIST}
_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG, errno.EISDIR}
_NONE: frozenset[int] = frozenset()
INCOMING = ".incoming"
"""Where files are written before they get their name; no key begins so."""


class FolderObjects:
    """`secret` signs the URLs, which begin with `origin`."""

    def __init__(self, root: pathlib.Path, secret: bytes, origin: str, now: Callable[[], datetime]) -> None:
        self._root = root
        self._secret = secret
        self._origin = origin
        self._now = now

    def put(self, key: str, data: BinaryIO, content_type: str = "application/octet-stream") -> StoredFile:
        """Durable on return: file, name and new folders are flushed. The type travels in the URL, not in the folder."""
        *folders, name = _parts(key)
        with self._aside() as (incoming, aside):
            sha256, size_bytes = _write(incoming, aside, data)
            with _translated(in_the_way=_IN_THE_WAY), self._inside(folders, make=True) as folder:
                os.replace(aside, name, src_dir_fd=incoming, dst_dir_fd=folder)
                os.fsync(folder)
        return StoredFile(key, sha256, size_bytes)

    def open(self, key: str) -> contextlib.AbstractContextManager[BinaryIO]:
        *folders, name = _parts(key)
        with _translated(absent=_ABSENT), self._inside(folders) as folder:
            return _open_plain(folder, name)

    def exists(self, key: str) -> bool:
        try:
            with self.open(key):
                return True
        except NotFound:
            return False

    def delete(self, key: str) -> None:
        *folders, name = _parts(key)
        with contextlib.suppress(NotFound), _translated(absent=_ABSENT), self._inside(folders) as folder:
            os.unlink(name, dir_fd=folder)
            os.fsync(folder)

    def keys(self, prefix: str) -> Iterator[str]:
        """In the order of their code points."""
        folders = prefix.split("/")[:-1]
        if not {"", ".", ".."} & {*folders}:
            yield from (key for key in self._walk(folders) if key.startswith(prefix))

    def url(self, key: str, *, filename: str, content_type: str, inline: bool = False, valid_s: int = 3600) -> str:
        _parts(key)
        signed = signing.Signed(key, filename, content_type, inline)
        return self._origin + signing.sign(self._secret, signed, self._now(), valid_s)

    def location(self, prefix: str) -> str:
        return f"objects://{prefix}"

    def _walk(self, folders: list[str]) -> Iterator[str]:
        try:
            with _translated(absent=_ABSENT), self._inside(folders) as folder, os.scandir(folder) as entries:
                found = [(e.name, e.is_dir(follow_symlinks=False)) for e in entries if not e.is_symlink()]
        except NotFound:
            return
        for name, is_folder in sorted(found, key=lambda entry: entry[0] + "/" * entry[1]):
            if not is_folder:
                yield "/".join((*folders, name))
            elif (name, folders) != (INCOMING, []):
                yield from self._walk([*folders, name])

    @contextlib.contextmanager
    def _aside(self) -> Iterator[tuple[int, str]]:
        """The folder of files without a name yet, and a free place in it, which is cleared if it was not moved away."""
        with _translated():
            self._root.mkdir(parents=True, exist_ok=True)
        place = secrets.token_hex(16)
        with _translated(), self._inside([INCOMING], make=True) as incoming:
            handle = os.dup(incoming)
        try:
            yield handle, place
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(place, dir_fd=handle)
            os.close(handle)

    @contextlib.contextmanager
    def _inside(self, folders: Sequence[str], make: bool = False) -> Iterator[int]:
        """A handle on the innermost folder. Raises OSError when one is absent or no folder, links included."""
        handle = os.open(self._root, _FOLDER)
        try:
            for name in folders:
                inner = _enter(handle, name, make)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)


def _enter(folder: int, name: str, make: bool) -> int:
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, mode=0o700, dir_fd=folder)
            os.fsync(folder)
    return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)


def _open_plain(folder: int, name: str) -> BinaryIO:
    """Raises IsADirectoryError for whatever is no plain file: folders, pipes, devices."""
    handle = os.open(name, _FILE, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise IsADirectoryError(errno.EISDIR, "no plain file")
    return os.fdopen(handle, "rb")


def _write(folder: int, name: str, data: BinaryIO) -> tuple[str, int]:
    """SHA-256 and size of what was written. Faults of `data` itself pass through."""
    digest = hashlib.sha256()
    with _translated():
        handle = os.open(name, _NEW_FILE, mode=0o600, dir_fd=folder)
    with open(handle, "wb", buffering=0) as file:
        while chunk := data.read(_CHUNK_BYTES):
            digest.update(chunk)
            with _translated():
                _write_all(handle, chunk)
        with _translated():
            os.fsync(handle)
        return digest.hexdigest(), file.tell()


def _write_all(handle: int, chunk: bytes) -> None:
    rest = memoryview(chunk)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _parts(key: str) -> list[str]:
    parts = object_key.check(key).split("/")
    if parts[0] == INCOMING:
        raise Invalid(f"No key of the object store begins with {INCOMING}.", "key_invalid")
    return parts


@contextlib.contextmanager
def _translated(absent: Set[int] = _NONE, in_the_way: Set[int] = _NONE) -> Iterator[None]:
    """OSError in our words. Which error numbers speak of the key, and not of the disk, depends on what is done."""
    try:
        yield
    except OSError as error:
        if error.errno in absent:
            raise NotFound("There is no such stored file.", "object_not_found") from None
        if error.errno in in_the_way:
            raise Invalid("Another stored file, or a link, is in the way of this key.", "key_invalid") from None
        said = "full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "not working"
        raise Unavailable(f"The object store is {said}.", "storage_unavailable") from error
