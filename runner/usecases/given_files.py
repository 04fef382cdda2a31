"""Files that a request names instead of sending: an upload handle, or a path below IMPORT_ROOTS.

One refusal with one wording covers every path that may not be read, so that nobody learns what exists on the server.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from runner.domain.errors import Fault, Invalid, NotFound, TooLarge
from runner.ports import Ports

HANDLE = "upload:"
NOT_ALLOWED = "This path may not be read: give an upload handle, or the absolute path of a file in an import folder."
CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Intake:
    """Where paths may point (`roots`), and how large a file may be."""

    roots: tuple[pathlib.Path, ...]
    max_bytes: int


@contextlib.contextmanager
def workspace(ports: Ports) -> Iterator[pathlib.Path]:
    """A folder of our own in the scratch space; gone afterwards."""
    ports.scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="intake-", dir=ports.scratch) as folder:
        yield pathlib.Path(folder)


def fetch(ports: Ports, given: str, into: pathlib.Path, *, field: str, intake: Intake) -> None:
    """Copies the file that `given` names to `into`.

    Raises Invalid `path_not_allowed`, `upload_not_found` (the detail names `field`), TooLarge `upload_too_large`.
    """
    opened = _open_upload(ports, given, field) if given.startswith(HANDLE) else _open_path(given, field, intake.roots)
    with opened as source:
        copy(source, into, intake.max_bytes)


def copy(source: BinaryIO, into: pathlib.Path, max_bytes: int) -> None:
    """Raises TooLarge `upload_too_large` after `max_bytes`."""
    copied = 0
    with into.open("wb") as target:
        while chunk := source.read(CHUNK):
            copied += len(chunk)
            if copied > max_bytes:
                raise TooLarge(f"The file is larger than {max_bytes // 2**20} MiB.")
            target.write(chunk)


def read(ports: Ports, given: str, *, field: str, intake: Intake) -> bytes:
    """The bytes of a small file. Raises as `fetch`."""
    with workspace(ports) as folder:
        fetch(ports, given, folder / "given", field=field, intake=intake)
        return (folder / "given").read_bytes()


def _open_upload(ports: Ports, handle: str, field: str) -> contextlib.AbstractContextManager[BinaryIO]:
    try:
        upload = ports.uploads.get(handle.removeprefix(HANDLE), ports.clock.now())
        return ports.objects.open(upload.file.key)
    except NotFound:
        sentence = "There is no such upload, or it has expired: upload the file again."
        raise Invalid(sentence, "upload_not_found", [Fault(field, "upload_not_found", sentence)]) from None


def _open_path(given: str, field: str, roots: tuple[pathlib.Path, ...]) -> BinaryIO:
    refusal = Invalid(NOT_ALLOWED, "path_not_allowed", [Fault(field, "path_not_allowed", NOT_ALLOWED)])
    if not os.path.isabs(given):
        raise refusal
    try:
        real = pathlib.Path(os.path.realpath(given))
        if not any(real.is_relative_to(os.path.realpath(root)) for root in roots):
            raise refusal
        number = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        raise refusal from None
    if not stat.S_ISREG(os.fstat(number).st_mode) or _place(number) != real:
        os.close(number)
        raise refusal
    return os.fdopen(number, "rb")


def _place(number: int) -> pathlib.Path:
    """Where an open file really lies: a folder swapped for a link between check and opening shows here."""
    return pathlib.Path(os.path.realpath(f"/proc/self/fd/{number}"))
