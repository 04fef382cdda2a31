"""Writes files below one folder through its open descriptor: no path is looked up twice, no link is ever followed."""

from __future__ import annotations

import os
import pathlib
import shutil
from types import TracebackType
from typing import BinaryIO

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class TreeWriter:
    """Makes `root`, which must not exist, and removes it again when the block ends with an exception.

    Paths are relative, `/` between parts; folders on the way are made. Nothing that exists is overwritten.
    """

    def __init__(self, root: pathlib.Path) -> None:
        self._root = root
        self._root_fd = -1
        self._parent, self._parent_fd = "", -1

    def __enter__(self) -> TreeWriter:
        self._root.mkdir()
        self._root_fd = os.open(self._root, _FOLDER)
        os.fchmod(self._root_fd, 0o755)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave_parent()
        os.close(self._root_fd)
        if error is not None:
            shutil.rmtree(self._root)

    def folder(self, path: str) -> None:
        self._enter(path)

    def file(self, path: str, executable: bool) -> BinaryIO:
        """A new file of mode 0755 or 0644, open for writing."""
        folder, name = self._split(path)
        fd = os.open(name, _NEW_FILE, 0o600, dir_fd=folder)
        os.fchmod(fd, 0o755 if executable else 0o644)
        return os.fdopen(fd, "wb")

    def copy(self, source: str, path: str, executable: bool) -> None:
        folder, name = self._split(source)
        with os.fdopen(os.open(name, _OLD_FILE, dir_fd=folder), "rb") as old, self.file(path, executable) as new:
            shutil.copyfileobj(old, new)

    def link(self, path: str, target: str) -> None:
        folder, name = self._split(path)
        os.symlink(target, name, dir_fd=folder)

    def _split(self, path: str) -> tuple[int, str]:
        """The open folder of `path`, and its last part."""
        parent, _, name = path.rpartition("/")
        return self._enter(parent), name

    def _enter(self, path: str) -> int:
        """The descriptor of a folder, made if need be. The last one stays open for the members that follow."""
        if path == self._parent and self._parent_fd >= 0:
            return self._parent_fd
        self._leave_parent()
        fd = os.dup(self._root_fd)
        for part in path.split("/") if path else ():
            fd = _step(fd, part)
        self._parent, self._parent_fd = path, fd
        return fd

    def _leave_parent(self) -> None:
        if self._parent_fd >= 0:
            os.close(self._parent_fd)
            self._parent_fd = -1


def _step(folder: int, part: str) -> int:
    """Opens, and if need be makes, a folder inside a folder; closes the outer one."""
    try:
        try:
            os.mkdir(part, 0o700, dir_fd=folder)
            made = True
        except FileExistsError:
            made = False
        fd = os.open(part, _FOLDER, dir_fd=folder)
        if made:
            os.fchmod(fd, 0o755)
        return fd
    finally:
        os.close(folder)
