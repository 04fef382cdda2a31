"""How much a running script has written: the limit on its folders (reproduction.md 2, disk)."""

from __future__ import annotations

import os
import pathlib
import threading
import time
from collections.abc import Iterator
from types import TracebackType

LOOK_EVERY_S = 2.0
SHARE_OF_TIME = 0.1
"""Looking takes at most this share of the time, whatever the number of files."""


def used_bytes(folder: pathlib.Path) -> int:
    """The sizes of all files below `folder`: a hard link counts once, a sparse file as large as it says."""
    return sum(_sizes(folder))


def _sizes(folder: pathlib.Path) -> Iterator[int]:
    seen, folders = set[int](), [str(folder)]
    while folders:
        for entry in _entries(folders.pop()):
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif status.st_nlink == 1 or status.st_ino not in seen:
                seen.add(status.st_ino) if status.st_nlink > 1 else None
                yield max(status.st_size, status.st_blocks * 512)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Nothing for a folder that is gone by now, or that the script made unreadable."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


class DiskWatch:
    """Looks at folders from a thread of its own while the block runs. Each folder may use `limit_bytes`."""

    def __init__(self, folders: tuple[pathlib.Path, ...], limit_bytes: int, look_every_s: float = LOOK_EVERY_S) -> None:
        self._folders, self._limit_bytes, self._look_every_s = folders, limit_bytes, look_every_s
        self._exceeded, self._over = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._watch, name="disk-watch", daemon=True)

    def __enter__(self) -> DiskWatch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def exceeded(self) -> bool:
        """What the thread has seen so far; costs nothing."""
        return self._exceeded.is_set()

    def look(self) -> bool:
        """Looks now."""
        if any(self._is_over(folder) for folder in self._folders):
            self._exceeded.set()
        return self._exceeded.is_set()

    def _is_over(self, folder: pathlib.Path) -> bool:
        """Also False when nobody waits for the answer any more: with millions of files it takes long."""
        used = 0
        for size in _sizes(folder):
            used += size
            if used > self._limit_bytes or self._over.is_set():
                break
        return used > self._limit_bytes

    def _watch(self) -> None:
        pause_s = self._look_every_s
        while not self._over.wait(pause_s):
            began = time.monotonic()
            if self.look():
                return
            pause_s = max(self._look_every_s, (time.monotonic() - began) / SHARE_OF_TIME)
