"""tar, tar.gz and zip, told by content, read member by member in bounded memory."""

from __future__ import annotations

import contextlib
import gzip
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO

from runner.adapters.bounded_reader import DirectoryReader, ForwardReader
from runner.domain.archive_rules import MAX_MEMBERS, Member, bad_archive, empty, unpacked_limit

Read = Callable[[int], bytes]
"""Gives the next bytes of the member, at most so many; it is only good until the next member is asked for."""

BLOCK_BYTES = 512
HEADERS_BYTES = MAX_MEMBERS * 4 * BLOCK_BYTES
"""What headers and padding may add to the unpacked size of a tar."""
LONGEST_TARGET_BYTES = 4096
_UNIX = 3
_ENCRYPTED = 1

_DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, gzip.BadGzipFile, zlib.error,
    EOFError, IndexError, NotImplementedError, OverflowError, RuntimeError, ValueError,
)  # fmt: skip
"""What the standard readers raise for damaged, encrypted or crafted archives."""


def members(file: BinaryIO, packed_bytes: int) -> Iterator[tuple[Member, Read]]:
    """Every member in the archive's order. Raises Invalid `submission_bad_archive`, `submission_empty`; TooLarge."""
    start = file.read(BLOCK_BYTES)
    file.seek(0)
    if not start or start.startswith(b"PK\x05\x06"):
        raise empty()
    with _damage_is_refused():
        for member, read in _readers(file, start, unpacked_limit(packed_bytes) + HEADERS_BYTES):
            yield member, _guarded(read)


def _readers(file: BinaryIO, start: bytes, limit_bytes: int) -> Iterator[tuple[Member, Read]]:
    if start.startswith(b"PK\x03\x04"):
        return _zip_members(file)
    if start.startswith(b"\x1f\x8b"):
        return _tar_members(ForwardReader(gzip.GzipFile(fileobj=file), limit_bytes))
    if _begins_tar(start):
        return _tar_members(ForwardReader(file, limit_bytes))
    raise bad_archive("its first bytes are of none of these")


@contextlib.contextmanager
def _damage_is_refused() -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise bad_archive(str(error).partition("\n")[0][:200] or type(error).__name__) from None


def _guarded(read: Read) -> Read:
    def read_or_refuse(size: int) -> bytes:
        with _damage_is_refused():
            return read(size)

    return read_or_refuse


def _begins_tar(block: bytes) -> bool:
    with contextlib.suppress(tarfile.HeaderError):
        tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        return True
    return block == bytes(BLOCK_BYTES)


def _tar_members(reader: ForwardReader) -> Iterator[tuple[Member, Read]]:
    with tarfile.TarFile(fileobj=reader, encoding="utf-8", errors="surrogateescape") as tar:
        for info in tar:
            yield _tar_member(info), reader.read
    if reader.last != bytes(BLOCK_BYTES):
        raise bad_archive("the tar has no end")
    reader.drain()


def _tar_member(info: tarfile.TarInfo) -> Member:
    if info.isreg() and not info.issparse():
        return Member(info.name, "file", info.size, bool(info.mode & stat.S_IXUSR))
    if info.isdir():
        return Member(info.name, "folder")
    if info.issym():
        return Member(info.name, "link", target=info.linkname)
    if info.islnk():
        return Member(info.name, "copy", target=info.linkname)
    return Member(info.name, "special")


def _zip_members(file: BinaryIO) -> Iterator[tuple[Member, Read]]:
    with zipfile.ZipFile(DirectoryReader(file)) as archive:
        for info in archive.infolist():
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise bad_archive("a member is packed by another method than deflate")
            if info.flag_bits & _ENCRYPTED:
                raise bad_archive("it is encrypted")
            with archive.open(info) as content:
                yield _zip_member(info, content.read), content.read


def _zip_member(info: zipfile.ZipInfo, read: Read) -> Member:
    name = info.orig_filename  # `filename` ends at a NUL
    mode = info.external_attr >> 16 if info.create_system == _UNIX else 0
    if stat.S_IFMT(mode) == stat.S_IFLNK:
        return Member(name, "link", target=read(LONGEST_TARGET_BYTES).decode("utf-8", "surrogateescape"))
    if name.endswith("/") or stat.S_IFMT(mode) == stat.S_IFDIR:
        return Member(name, "folder")
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return Member(name, "special")
    return Member(name, "file", info.file_size, bool(mode & stat.S_IXUSR))
