"""Files read under a bound, for formats whose readers trust the sizes they find."""

from __future__ import annotations

import io
from typing import BinaryIO, Protocol

from runner.domain.archive_rules import bad_archive, too_large

LARGEST_READ_BYTES = 2**20
LARGEST_DIRECTORY_BYTES = 8 * 2**20
LARGEST_END_BYTES = 2**17
"""The end record of a zip and its comment, which `zipfile` reads "to the end", have at most 65,557 bytes."""
_STEP_BYTES = 2**16


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class ForwardReader(io.RawIOBase):
    """What `tarfile` reads from: goes forward only, gives short pieces only, and ends at `limit_bytes`.

    `tarfile` reads an extended header of whatever size it claims in one piece, and a stream may decompress to anything:
    both raise Invalid `submission_bad_archive` or TooLarge `submission_too_large` here.
    """

    def __init__(self, source: Readable, limit_bytes: int) -> None:
        self._source, self._limit_bytes, self._at = source, limit_bytes, 0
        self.last = b""
        """The bytes of the last read."""

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= LARGEST_READ_BYTES:
            raise bad_archive("a header claims to be larger than 1 MiB")
        pieces, missing = [], size
        while missing and (piece := self._source.read(missing)):
            pieces.append(piece)
            missing -= len(piece)
        self._at += size - missing
        if self._at > self._limit_bytes:
            raise too_large()
        self.last = b"".join(pieces)
        return self.last

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Past the end it stops there, as a read would."""
        if whence != io.SEEK_SET or offset < self._at:
            raise bad_archive("a member begins before the end of the one before it")
        while self._at < offset and self.read(min(offset - self._at, _STEP_BYTES)):
            pass
        return self._at

    def drain(self) -> None:
        """Reads to the end, so that the checksum at the end of a compressed stream is compared."""
        while self.read(_STEP_BYTES):
            pass


class DirectoryReader(io.RawIOBase):
    """What `zipfile` reads from: it reads the directory of an archive, of whatever size that claims, in one piece."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source

    def read(self, size: int = -1) -> bytes:
        if size > LARGEST_DIRECTORY_BYTES:
            raise too_large()
        return self._source.read(size if size >= 0 else LARGEST_END_BYTES)

    def tell(self) -> int:
        return self._source.tell()

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_SET and offset < 0:
            raise bad_archive("its directory lies before its beginning")
        return self._source.seek(offset, whence)
