"""Opening files of a tree that a stranger's script has left: never through a link, never outside."""

from __future__ import annotations

import os
import pathlib
import stat
from typing import BinaryIO


class NotAFile(OSError):
    """The path is no plain file reached through plain folders."""


def open_plain(tree: pathlib.Path, path: str) -> BinaryIO:
    """Opens `path` (relative, `/` between parts) one folder at a time. Raises NotAFile."""
    folder = os.open(tree, os.O_RDONLY | os.O_DIRECTORY)
    try:
        *folders, name = path.split("/")
        for part in folders:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError as error:
        raise NotAFile(error.errno, "not a plain file") from None
    finally:
        os.close(folder)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotAFile("not a plain file")
    return os.fdopen(handle, "rb")
