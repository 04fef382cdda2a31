"""Submission archives as tests make them: what is read is believed. The real adapter is the one that refuses."""

from __future__ import annotations

import hashlib
import io
import pathlib
import tarfile
import zipfile

from runner.domain.errors import Invalid
from runner.domain.papers import SubmissionFile
from runner.ports import Listing


class MemoryArchives:
    def inspect(self, path: pathlib.Path) -> Listing:
        return _listing(_contents(path))

    def unpack(self, path: pathlib.Path, into: pathlib.Path) -> Listing:
        contents = _contents(path)
        for name, data in contents.items():
            target = into / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        return _listing(contents)


def _contents(path: pathlib.Path) -> dict[str, bytes]:
    """Plain files by name, relative to the one top folder if there is just one."""
    found = _of_zip(path) if zipfile.is_zipfile(path) else _of_tar(path)
    if not found:
        raise Invalid("The archive is empty.", "submission_empty")
    tops = {name.partition("/")[0] for name in found}
    if len(tops) > 1 or tops <= found.keys():
        return found
    return {name.partition("/")[2]: data for name, data in found.items()}


def _of_zip(path: pathlib.Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {each.filename: archive.read(each) for each in archive.infolist() if not each.is_dir()}


def _of_tar(path: pathlib.Path) -> dict[str, bytes]:
    try:
        with tarfile.open(path) as archive:
            members = [member for member in archive if member.isfile()]
            return {member.name: (archive.extractfile(member) or io.BytesIO()).read() for member in members}
    except tarfile.TarError:
        raise Invalid("The file is neither a tar nor a zip archive.", "submission_bad_archive") from None


def _listing(contents: dict[str, bytes]) -> Listing:
    files = tuple(
        SubmissionFile(name, len(data), hashlib.sha256(data).hexdigest()) for name, data in sorted(contents.items())
    )
    return Listing(files, links=(), files_total=len(files), warnings=())
