"""What a submission archive may hold (reproduction.md 1; paperbench-api.md, POST submission). Knows no file format.

An `Admission` is told every member in the archive's order and then gives the `Layout` of the submission.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from runner.domain import archive_layout, archive_links, archive_names
from runner.domain.archive_layout import SCRIPT, ArchiveFile, Content, Layout
from runner.domain.errors import Fault, Invalid, TooLarge

MAX_MEMBERS = 20_000
MAX_UNPACKED_BYTES = 2 * 2**30
MAX_RATIO = 200
RATIO_FROM_BYTES = 2**20
MAX_FAULTS = 100

UnsafeCode = Literal["parent_path", "absolute_path", "link_escape", "special_file", "bad_name", "duplicate_member"]

_WHY: dict[UnsafeCode, str] = {
    "parent_path": "the name leads out of the archive",
    "absolute_path": "the name is absolute",
    "link_escape": "the link leads out of the submission, or does not resolve",
    "special_file": "it is neither a plain file, a folder nor a link",
    "bad_name": "the name is empty, too long, or holds characters that are not accepted",
    "duplicate_member": "another member has this name, or is a file where this one needs a folder",
}


@dataclass(frozen=True, slots=True)
class Member:
    """One member as its header says it. `target` is that of a link, or of a copy (a hard link in a tar)."""

    name: str
    kind: Literal["file", "folder", "link", "copy", "special"]
    size_bytes: int = 0
    executable: bool = False
    target: str = ""


class Unsafe(Exception):
    def __init__(self, code: UnsafeCode) -> None:
        super().__init__(code)
        self.code: UnsafeCode = code


class Admission:
    """Takes the members of one archive. Too much is refused at once, unsafe members all together at the end."""

    def __init__(self, packed_bytes: int) -> None:
        self._room_bytes = unpacked_limit(packed_bytes)
        self._members = 0
        self._sent_names: dict[str, str] = {}  # every admitted path but folders, and the name it was sent with
        self._files: dict[str, ArchiveFile] = {}
        self._links: dict[str, str] = {}
        self._folders: dict[str, bool] = {}  # whether it has a member of its own
        self._faults: list[Fault] = []

    def admit(self, member: Member) -> str | None:
        """The path of a plain file, whose content is wanted by `add` before the next member, else None.

        Raises TooLarge `submission_too_large`.
        """
        self._members += 1
        self._take_room(member.size_bytes)
        try:
            path = archive_names.clean(member.name)
            self._check_place(path, member)
            self._put(path, member)
        except (archive_names.BadName, Unsafe) as refused:
            self._refuse(member.name, refused.code)
            return None
        return path if member.kind == "file" else None

    def add(self, path: str, size_bytes: int, executable: bool, content: Content, copy_of: str | None = None) -> None:
        self._files[path] = ArchiveFile(path, size_bytes, executable, content, copy_of)

    def finish(self) -> Layout:
        """Raises Invalid `submission_unsafe_member`, `submission_empty`, `lfs_pointer` (a script that is none)."""
        folders = [path for path, has_member in self._folders.items() if has_member]
        layout = archive_layout.lay_out(self._files.values(), folders, self._links)
        links = dict(layout.links)
        for path in links:
            if not archive_links.stays_inside(path, links):
                self._refuse(self._sent_names[layout.in_archive(path)], "link_escape")
        if self._faults:
            raise Invalid("the archive holds members that are not safe", "submission_unsafe_member", self._faults)
        if not self._files:
            raise empty()
        script = layout.script()
        if script and script.content.is_lfs_pointer:
            fault = Fault(SCRIPT, "lfs_pointer", "it is a pointer of Git LFS, not the script")
            raise Invalid(f"{SCRIPT} is a Git LFS pointer: send the file itself", "lfs_pointer", [fault])
        return layout

    def _take_room(self, size_bytes: int) -> None:
        self._room_bytes -= size_bytes
        if self._members > MAX_MEMBERS or len(self._folders) > MAX_MEMBERS or self._room_bytes < 0:
            raise too_large()

    def _check_place(self, path: str, member: Member) -> None:
        if member.kind == "special":
            raise Unsafe("special_file")
        if member.kind == "folder":
            if path in self._sent_names:
                raise Unsafe("duplicate_member")
        elif not path:
            raise archive_names.BadName("bad_name")
        elif path in self._sent_names or path in self._folders:
            raise Unsafe("duplicate_member")
        for parent in archive_names.parents(path):
            if parent in self._sent_names:
                raise Unsafe("link_escape" if parent in self._links else "duplicate_member")

    def _put(self, path: str, member: Member) -> None:
        if member.kind == "copy":
            self._put_copy(path, member)
        elif member.kind == "link":
            if not member.target or archive_names.is_unshowable(member.target) or len(member.target) > 1024:
                raise Unsafe("bad_name")
            self._links[path] = member.target
        for parent in archive_names.parents(path):
            self._folders.setdefault(parent, False)
        if member.kind == "folder":
            self._folders[path] = True
        else:
            self._sent_names[path] = member.name

    def _put_copy(self, path: str, member: Member) -> None:
        try:
            source = archive_names.clean(member.target)
        except archive_names.BadName:
            raise Unsafe("link_escape") from None
        if source in self._links:
            self._links[path] = self._links[source]
        elif source in self._files:
            original = self._files[source]
            self._take_room(original.size_bytes)
            self.add(path, original.size_bytes, original.executable, original.content, source)
        else:
            raise Unsafe("link_escape")

    def _refuse(self, name: str, code: UnsafeCode) -> None:
        if len(self._faults) < MAX_FAULTS:
            self._faults.append(Fault(archive_names.shown(name), code, _WHY[code]))


def unpacked_limit(packed_bytes: int) -> int:
    """How many bytes an archive of this size may unpack to."""
    if packed_bytes <= RATIO_FROM_BYTES:
        return MAX_UNPACKED_BYTES
    return min(MAX_UNPACKED_BYTES, packed_bytes * MAX_RATIO)


def too_large() -> TooLarge:
    return TooLarge(
        f"the archive holds more than {MAX_MEMBERS} members, 2 GiB, or {MAX_RATIO} times its own size",
        "submission_too_large",
    )


def empty() -> Invalid:
    return Invalid("the archive holds no file", "submission_empty")


def bad_archive(reason: str) -> Invalid:
    return Invalid(f"not a complete tar, tar.gz or zip archive: {reason}", "submission_bad_archive")
