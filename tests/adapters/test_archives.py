"""Submission archives: good ones in every format, hostile ones of every kind."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import pathlib
import stat
import struct
import tarfile
import time
import tracemalloc
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runner.adapters.archives import ArchiveFiles
from runner.domain.errors import Invalid, TooLarge, Unavailable

Tree = dict[str, bytes]
FORMATS = ("tar", "tar.gz", "zip")
SCRIPT: Tree = {"reproduce.sh": b"#!/bin/bash\necho hi\n", "src/a.py": b"print(1)\n"}


def tar_member(
    name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0, mode: int = 0o644
) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size, info.mode = kind, target, size, mode
    return info


def tar(files: Tree, *more: tarfile.TarInfo, links: dict[str, str] | None = None) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            mode = 0o755 if name.endswith(".sh") else 0o644
            archive.addfile(tar_member(name, size=len(content), mode=mode), io.BytesIO(content))
        for name, target in (links or {}).items():
            archive.addfile(tar_member(name, tarfile.SYMTYPE, target))
        for info in more:
            archive.addfile(info, io.BytesIO(bytes(info.size)))
    return out.getvalue()


def zipped(files: Tree, links: dict[str, str] | None = None, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo(name)
            info.compress_type, info.external_attr = method, (0o100755 if name.endswith(".sh") else 0o100644) << 16
            archive.writestr(info, content)
        for name, target in (links or {}).items():
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, target)
    return out.getvalue()


def packed(form: str, files: Tree, links: dict[str, str] | None = None) -> bytes:
    if form == "zip":
        return zipped(files, links)
    return tar(files, links=links) if form == "tar" else gzip.compress(tar(files, links=links), 1, mtime=0)


@pytest.fixture
def archives() -> ArchiveFiles:
    return ArchiveFiles()


@pytest.fixture
def saved(tmp_path):
    def save(data: bytes) -> pathlib.Path:
        path = tmp_path / "archive"
        path.write_bytes(data)
        return path

    return save


def on_disk(root: pathlib.Path) -> dict[str, tuple[str, bytes | str]]:
    """Every path below `root`: its mode and its content or target."""
    found: dict[str, tuple[str, bytes | str]] = {}
    for path in sorted(root.rglob("*")):
        mode = stat.filemode(path.lstat().st_mode)
        if path.is_symlink():
            found[str(path.relative_to(root))] = ("link", os.readlink(path))
        elif path.is_file():
            found[str(path.relative_to(root))] = (mode, path.read_bytes())
        else:
            found[str(path.relative_to(root))] = (mode, b"")
    return found


# ---- good ones


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("top", ["", "project/", "project/submission/"])
def test_every_form_gives_the_same_files(archives, saved, form, top, tmp_path):
    path = saved(packed(form, {top + name: content for name, content in SCRIPT.items()}, {top + "latest": "src/a.py"}))
    listing = archives.inspect(path)
    assert [(f.path, f.size_bytes, f.sha256) for f in listing.files] == [
        (name, len(content), hashlib.sha256(content).hexdigest()) for name, content in SCRIPT.items()
    ]
    assert (listing.links, listing.files_total, listing.warnings) == ((("latest", "src/a.py"),), 2, ())
    assert archives.unpack(path, tmp_path / "tree") == listing
    assert on_disk(tmp_path / "tree") == {
        "latest": ("link", "src/a.py"),
        "reproduce.sh": ("-rwxr-xr-x", SCRIPT["reproduce.sh"]),
        "src": ("drwxr-xr-x", b""),
        "src/a.py": ("-rw-r--r--", SCRIPT["src/a.py"]),
    }


@pytest.mark.parametrize("umask", [0o077, 0o000])
def test_modes_do_not_depend_on_the_archive_s_or_our_own_habits(archives, saved, tmp_path, umask):
    more = [
        tar_member("suid", mode=0o6777),
        tar_member("shut", mode=0o000),
        tar_member("d", tarfile.DIRTYPE, mode=0o000),
    ]
    before = os.umask(umask)
    try:
        archives.unpack(saved(tar(SCRIPT, *more)), tmp_path / "tree")
    finally:
        os.umask(before)
    modes = {name: mode for name, (mode, _) in on_disk(tmp_path / "tree").items()}
    assert (modes["suid"], modes["shut"], modes["d"]) == ("-rwxr-xr-x", "-rw-r--r--", "drwxr-xr-x")


def test_hard_links_become_copies(archives, saved, tmp_path):
    data = tar({"top/a": b"content", "top/reproduce.sh": b""}, tar_member("top/b", tarfile.LNKTYPE, "top/a"))
    listing = archives.unpack(saved(data), tmp_path / "tree")
    assert [(f.path, f.size_bytes) for f in listing.files] == [("a", 7), ("b", 7), ("reproduce.sh", 0)]
    assert (tmp_path / "tree/b").read_bytes() == b"content"
    assert (tmp_path / "tree/b").stat().st_nlink == 1


def test_names_of_every_language_and_long_names_survive(archives, saved, tmp_path):
    files = {"日本/語 é.txt": b"1", "x" * 120 + "/" + "y" * 200: b"2", "reproduce.sh": b""}
    for form in FORMATS:
        archives.unpack(saved(packed(form, files)), tmp_path / form)
        assert {n for n, (mode, _) in on_disk(tmp_path / form).items() if mode[0] == "-"} == set(files)


_NAME = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"), exclude_characters="/\\:"), min_size=1, max_size=12
)
_PATH = st.lists(_NAME.filter(lambda name: name not in (".", "..")), min_size=1, max_size=3).map("/".join)


def _is_tree(files: Tree) -> bool:
    return not any(other.startswith(path + "/") for path in files for other in files)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.dictionaries(_PATH, st.binary(max_size=2000), min_size=1, max_size=6).filter(_is_tree))
def test_a_tree_comes_back_from_every_form(archives, saved, files, tmp_path_factory):
    listings = set()
    for form in FORMATS:
        tree = tmp_path_factory.mktemp("tree") / "tree"
        listing = archives.unpack(
            saved(packed(form, {"top/" + name: content for name, content in files.items()})), tree
        )
        listings.add((listing.files, listing.links))
        for file in listing.files:
            content = (tree / file.path).read_bytes()
            assert (len(content), hashlib.sha256(content).hexdigest()) == (file.size_bytes, file.sha256)
            assert content in files.values()
    assert len(listings) == 1
    assert len(next(iter(listings))[0]) == len(files)


def test_what_a_person_is_told(archives, saved):
    files = {
        "a": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
        "A": b"",
        "reproduce.sh": b"#!/bin/bash\r\n",
    }
    assert [w["code"] for w in archives.inspect(saved(tar(files))).warnings] == [
        "crlf_script",
        "lfs_pointer",
        "case_collision",
    ]


# ---- hostile ones


HOSTILE = {
    "parent": (tar(SCRIPT, tar_member("../out")), "parent_path"),
    "inner parent": (tar(SCRIPT, tar_member("src/../../out")), "parent_path"),
    "absolute": (tar(SCRIPT, tar_member("/out")), "absolute_path"),
    "drive": (tar(SCRIPT, tar_member("C:\\out")), "absolute_path"),
    "backslash": (tar(SCRIPT, tar_member("src\\out")), "bad_name"),
    "newline": (tar(SCRIPT, tar_member("src/o\nut")), "bad_name"),
    "no utf-8": (tar(SCRIPT, tar_member("src/\udcff")), "bad_name"),
    "link up": (tar(SCRIPT, tar_member("leak", tarfile.SYMTYPE, "../etc/passwd")), "link_escape"),
    "link absolute": (tar(SCRIPT, tar_member("leak", tarfile.SYMTYPE, "/etc/passwd")), "link_escape"),
    "link chain": (tar(SCRIPT, links={"one": "two/x", "two": "src/three", "src/three": "../.."}), "link_escape"),
    "through a link": (tar(SCRIPT, tar_member("d", tarfile.SYMTYPE, "/tmp"), tar_member("d/out")), "link_escape"),
    "link over a folder": (tar(SCRIPT, tar_member("src", tarfile.SYMTYPE, "/tmp")), "duplicate_member"),
    "file over a link": (tar(SCRIPT, tar_member("l", tarfile.SYMTYPE, "src"), tar_member("l")), "duplicate_member"),
    "hard link out": (tar(SCRIPT, tar_member("leak", tarfile.LNKTYPE, "/etc/passwd")), "link_escape"),
    "hard link up": (tar(SCRIPT, tar_member("leak", tarfile.LNKTYPE, "../../etc/passwd")), "link_escape"),
    "hard link to a link out": (
        tar(SCRIPT, tar_member("l", tarfile.SYMTYPE, "/etc"), tar_member("m", tarfile.LNKTYPE, "l")),
        "link_escape",
    ),
    "fifo": (tar(SCRIPT, tar_member("pipe", tarfile.FIFOTYPE)), "special_file"),
    "character device": (tar(SCRIPT, tar_member("dev", tarfile.CHRTYPE)), "special_file"),
    "block device": (tar(SCRIPT, tar_member("dev", tarfile.BLKTYPE)), "special_file"),
    "sparse": (tar(SCRIPT, tar_member("sparse", tarfile.GNUTYPE_SPARSE)), "special_file"),
    "unknown type": (tar(SCRIPT, tar_member("what", b"Z")), "special_file"),
    "twice": (tar(SCRIPT, tar_member("src/a.py")), "duplicate_member"),
    "zip parent": (zipped(SCRIPT | {"../out": b""}), "parent_path"),
    "zip absolute": (zipped(SCRIPT | {"/out": b""}), "absolute_path"),
    "zip link up": (zipped(SCRIPT, {"leak": "../../etc/passwd"}), "link_escape"),
    "zip nul": (zipped(SCRIPT | {"a_b": b""}).replace(b"a_b", b"a\x00b"), "bad_name"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_unsafe_members_are_refused_and_leave_nothing(archives, saved, kind, tmp_path):
    data, code = HOSTILE[kind]
    for refuse in (archives.inspect, lambda path: archives.unpack(path, tmp_path / "tree")):
        with pytest.raises(Invalid) as refused:
            refuse(saved(data))
        assert refused.value.code == "submission_unsafe_member"
        assert code in [fault.code for fault in refused.value.details]
    assert os.listdir(tmp_path) == ["archive"]


def test_a_zip_that_holds_a_device_is_refused(archives, saved):
    data = zipped(SCRIPT, {"x": "y"}).replace(struct.pack("<I", 0o120777 << 16), struct.pack("<I", 0o020666 << 16))
    with pytest.raises(Invalid) as refused:
        archives.inspect(saved(data))
    assert [fault.code for fault in refused.value.details] == ["special_file"]


EMPTY = {
    "nothing": b"",
    "tar": tar({}),
    "tar.gz": gzip.compress(tar({})),
    "zip": zipped({}),
    "only a folder": tar({}, tar_member("d", tarfile.DIRTYPE)),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_archives_without_a_file_are_empty(archives, saved, kind):
    with pytest.raises(Invalid) as refused:
        archives.inspect(saved(EMPTY[kind]))
    assert refused.value.code == "submission_empty"


def _encrypted(data: bytes) -> bytes:
    entry = data.index(b"PK\x01\x02")
    return data[: entry + 8] + b"\x01" + data[entry + 9 :]


_TAR = tar(SCRIPT)
BAD = {
    "text": b"hello",
    "cut tar": _TAR[:700],
    "tar without an end": _TAR[: 4 * tarfile.BLOCKSIZE],
    "tar with a damaged second header": _TAR[:1024] + b"\1" + _TAR[1025:],
    "cut tar.gz": gzip.compress(_TAR)[:-40],
    "tar.gz without its checksum": gzip.compress(_TAR)[:-8],
    "tar.gz with a wrong checksum": gzip.compress(_TAR)[:-8] + b"\0" * 8,
    "tar.gz with junk behind": gzip.compress(_TAR) + b"junk",
    "gzip of text": gzip.compress(b"hello" * 1000),
    "cut zip": zipped(SCRIPT)[:-30],
    "half a zip": zipped(SCRIPT)[:60],
    "zip with a wrong checksum": zipped(SCRIPT, method=zipfile.ZIP_STORED).replace(b"print(1)", b"print(2)"),
    "encrypted zip": _encrypted(zipped(SCRIPT)),
    "lzma zip": zipped(SCRIPT, method=zipfile.ZIP_LZMA),
    "bzip2": b"BZh91AY&SY" + bytes(600),
    "xz": b"\xfd7zXZ\x00" + bytes(600),
}


@pytest.mark.parametrize("kind", BAD)
def test_damaged_and_foreign_archives_are_refused(archives, saved, kind, tmp_path):
    for refuse in (archives.inspect, lambda path: archives.unpack(path, tmp_path / "tree")):
        with pytest.raises(Invalid) as refused:
            refuse(saved(BAD[kind]))
        assert refused.value.code == "submission_bad_archive"
        assert str(tmp_path) not in refused.value.message
    assert os.listdir(tmp_path) == ["archive"]


def test_an_encrypted_zip_is_said_to_be_one(archives, saved):
    with pytest.raises(Invalid) as refused:
        archives.inspect(saved(BAD["encrypted zip"]))
    assert "it is encrypted" in refused.value.message


@pytest.mark.parametrize("form", FORMATS)
def test_every_cut_is_noticed(archives, saved, form):
    data = packed(form, SCRIPT)
    end = len(data.rstrip(b"\0")) if form == "tar" else len(data)
    for length in range(1, end, 7):
        with pytest.raises(Invalid) as refused:
            archives.inspect(saved(data[:length]))
        assert refused.value.code == "submission_bad_archive"


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    form=st.sampled_from(FORMATS),
    changes=st.lists(st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=8)), max_size=4),
)
def test_damage_of_any_kind_is_a_refusal_or_harmless(archives, saved, form, changes):
    data = bytearray(packed(form, SCRIPT, {"l": "src"}))
    for place, new in changes:
        at = int(place * (len(data) - 1))
        data[at : at + len(new)] = new
    with contextlib.suppress(Invalid, TooLarge):
        archives.inspect(saved(bytes(data)))


# ---- bombs


def _gzip_of_zeros(head: bytes, mebibytes: int) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as packing:
        packing.write(head)
        for _ in range(mebibytes):
            packing.write(bytes(2**20))
    return out.getvalue()


def _pax(size: int) -> bytes:
    return tar_member("x", tarfile.XHDTYPE, size=size).tobuf()


BOMBS = {
    "a member that claims 8 GiB": tar_member("big", size=8 * 2**30).tobuf(tarfile.GNU_FORMAT) + bytes(1024),
    "zeros behind the end": _gzip_of_zeros(_TAR, 600),
    "20,001 members": tar(SCRIPT, *(tar_member("same/", tarfile.DIRTYPE) for _ in range(19_999))),
    "a zip directory of 9 MiB": zipped({"d" * 400 + f"{n}": b"" for n in range(20_500)}, method=zipfile.ZIP_STORED),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOMBS)
def test_bombs_are_refused_early_and_in_little_memory(archives, saved, kind):
    path = saved(BOMBS[kind])
    tracemalloc.start()
    began = time.perf_counter()
    with pytest.raises(TooLarge) as refused:
        archives.inspect(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused.value.code == "submission_too_large"
    assert time.perf_counter() - began < 20
    assert peak < 64 * 2**20


def test_an_extended_header_of_a_gigabyte_is_not_read(archives, saved):
    with pytest.raises(Invalid) as refused:
        archives.inspect(saved(_gzip_of_zeros(_pax(2**30), 4)))
    assert refused.value.code == "submission_bad_archive"


def test_ten_thousand_extended_headers_in_a_row_are_no_stack_overflow(archives, saved):
    with pytest.raises(Invalid) as refused:
        archives.inspect(saved(gzip.compress(_pax(0) * 10_000 + bytes(1024))))
    assert refused.value.code == "submission_bad_archive"


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_a_large_file_is_never_in_memory(archives, saved, form, tmp_path):
    path = saved(packed(form, SCRIPT | {"big": os.urandom(1000) * 50_000}))
    tracemalloc.start()
    archives.unpack(path, tmp_path / "tree")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2**20
    assert (tmp_path / "tree/big").stat().st_size == 50_000_000


# ---- our side


def test_an_existing_folder_is_not_touched(archives, saved, tmp_path):
    (tmp_path / "tree").mkdir()
    with pytest.raises(Unavailable):
        archives.unpack(saved(_TAR), tmp_path / "tree")
    assert (tmp_path / "tree").is_dir()


def test_a_missing_archive_is_told_without_its_path(archives, tmp_path):
    with pytest.raises(Unavailable) as unavailable:
        archives.inspect(tmp_path / "absent")
    assert unavailable.value.code == "storage_unavailable"
    assert str(tmp_path) not in unavailable.value.message
