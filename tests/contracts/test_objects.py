"""The contract of `Objects`."""

from __future__ import annotations

import hashlib
import io
import os
import resource
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest

from runner.adapters.memory.objects import MemoryObjects
from runner.adapters.objects_fs import FolderObjects
from runner.domain.errors import Forbidden, Invalid, NotFound, Unavailable
from runner.domain.papers import StoredFile
from runner.domain.signing import Signed, verify

NOW = datetime(2026, 5, 13, 5, 57, tzinfo=UTC)
SECRET = b"secret"
SETTINGS = (SECRET, "https://reprise.example.org", lambda: NOW)
BAD_KEYS = [
    "", "/", "a/", "/a", "a//b", ".", "..", "../etc/passwd", "a/../b", "a/.", "a\0b", "a\nb", "a/\x7f", "\ud800",
    "a" * 256, "再" * 86, "/".join(["a" * 200] * 6),
]  # fmt: skip


def put(objects, key, content=b"content"):
    return objects.put(key, io.BytesIO(content))


def read(objects, key):
    with objects.open(key) as file:
        return file.read()


class BrokenStream(io.RawIOBase):
    """Gives something, then breaks like a client that went away."""

    def __init__(self, error):
        self.error = error
        self.given = False

    def read(self, size=-1):
        if self.given:
            raise self.error
        self.given = True
        return b"half"


class ObjectsContract:
    def url_prefix(self, objects):
        """What stands before the key in the path of a URL."""
        return "/objects/"

    def test_reads_back_what_was_put_and_says_its_digest(self, objects):
        content = os.urandom(3_000_000)
        stored = put(objects, "papers/x/paper.pdf", content)
        assert stored == StoredFile("papers/x/paper.pdf", hashlib.sha256(content).hexdigest(), len(content))
        assert read(objects, "papers/x/paper.pdf") == content
        assert put(objects, "empty", b"").size_bytes == 0
        assert read(objects, "empty") == b""

    def test_a_second_put_replaces_and_a_reader_keeps_what_it_opened(self, objects):
        put(objects, "k", b"old")
        with objects.open("k") as file:
            put(objects, "k", b"new, and longer")
            assert file.read() == b"old"
        assert read(objects, "k") == b"new, and longer"

    def test_what_is_not_there_is_not_found(self, objects):
        put(objects, "a/b/c")
        for key in ("absent", "a", "a/b", "a/b/d", "a/b/c/d", "x" * 255):
            assert not objects.exists(key)
            with pytest.raises(NotFound) as refused, objects.open(key):
                pass
            assert refused.value.code == "object_not_found"

    def test_a_deleted_file_is_gone_and_deleting_again_is_no_error(self, objects):
        put(objects, "a/b")
        for key in ("a/b", "a/b", "absent/b", "a"):
            objects.delete(key)
        assert not objects.exists("a/b")
        put(objects, "a/b", b"again")
        assert read(objects, "a/b") == b"again"

    @pytest.mark.parametrize("key", BAD_KEYS)
    def test_keys_that_lead_elsewhere_are_refused_by_every_method(self, objects, key):
        for use in (
            lambda: put(objects, key),
            lambda: objects.open(key),
            lambda: objects.exists(key),
            lambda: objects.delete(key),
            lambda: objects.url(key, filename="f", content_type="text/plain"),
        ):
            with pytest.raises(Invalid) as refused:
                use()
            assert refused.value.code == "key_invalid"
        assert list(objects.keys("")) == []

    def test_keys_of_any_script_are_kept_and_encoded_in_urls(self, objects, shared_data):
        rows = (shared_data / "cases/storage/object_keys.tsv").read_text(encoding="utf-8").splitlines()[1:]
        for key, path, *_ in (row.split("\t") for row in rows):
            if path == "-":
                with pytest.raises(Invalid):
                    put(objects, key)
                continue
            put(objects, key, key.encode())
            assert read(objects, key) == key.encode()
            url = urlsplit(objects.url(key, filename="f", content_type="text/plain"))
            assert url.path == path.replace("/bench/", self.url_prefix(objects))

    @pytest.mark.parametrize("key", ["...", "a/..b", "~", "-", "a\\b", "C:", "%2e%2e", "e\u0301", "é", "\u202e", "a/ "])
    def test_odd_names_are_plain_names(self, objects, key):
        put(objects, key, key.encode())
        assert list(objects.keys("")) == [key]
        assert read(objects, key) == key.encode()

    def test_keys_are_listed_by_prefix_in_order(self, objects):
        keys = ["a-c", "a/b", "a/b-c/d", "a/b/c" + "x", "ab", "b/再/現", "b/再/規"]
        stored = [key for key in keys if key != "a/b"]
        for key in reversed(stored):
            put(objects, key)
        assert list(objects.keys("")) == sorted(stored)
        assert list(objects.keys("a/")) == ["a/b-c/d", "a/b/cx"]
        assert list(objects.keys("a")) == ["a-c", "a/b-c/d", "a/b/cx", "ab"]
        assert list(objects.keys("a/b/")) == ["a/b/cx"]
        assert list(objects.keys("b/再/")) == ["b/再/現", "b/再/規"]
        for prefix in ("c", "a/b/cx/", "../", "a/../", "/", "a//"):
            assert list(objects.keys(prefix)) == []

    @pytest.mark.parametrize("error", [ConnectionResetError("the client went away"), ValueError("too much")])
    def test_a_stream_that_breaks_leaves_what_was_there(self, objects, error):
        put(objects, "k", b"old")
        for key in ("k", "new/k"):
            with pytest.raises(type(error)):
                objects.put(key, BrokenStream(error))
        assert read(objects, "k") == b"old"
        assert list(objects.keys("")) == ["k"]

    def test_parallel_puts_of_one_key_leave_one_of_them_whole(self, objects):
        contents = [bytes([65 + number]) * 200_000 for number in range(8)]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda content: put(objects, "deep/new/folder/k", content), contents))
        assert read(objects, "deep/new/folder/k") in contents


class SignedByUsContract(ObjectsContract):
    """Stores whose URLs lead to ourselves."""

    def test_a_url_is_signed_for_a_while(self, objects):
        put(objects, "runs/1/報告.html")
        url = objects.url("runs/1/報告.html", filename="報 告.html", content_type="text/html", inline=True, valid_s=60)
        assert url.startswith("https://reprise.example.org/objects/runs/1/%E5%A0%B1%E5%91%8A.html?")
        parts = urlsplit(url)
        said = Signed("runs/1/報告.html", "報 告.html", "text/html", inline=True)
        assert verify(SECRET, parts.path, parts.query, NOW + timedelta(seconds=59)) == said
        with pytest.raises(Forbidden) as refused:
            verify(SECRET, parts.path, parts.query, NOW + timedelta(seconds=60))
        assert refused.value.code == "url_expired"
        with pytest.raises(Forbidden) as refused:
            verify(SECRET, parts.path, parts.query.replace("inline=1", "inline=0"), NOW)
        assert refused.value.code == "bad_signature"

    @pytest.mark.parametrize("key", ["a b+c.pdf", "再現/報告.pdf", "p?q#r.pdf"])
    def test_a_url_says_its_key(self, objects, key):
        url = urlsplit(objects.url(key, filename="f", content_type="text/plain"))
        assert verify(SECRET, url.path, url.query, NOW).key == key

    def test_the_location_is_no_server_path(self, objects):
        assert objects.location("papers/x/") == "objects://papers/x/"


class TestMemory(SignedByUsContract):
    @pytest.fixture
    def objects(self):
        return MemoryObjects(*SETTINGS)


class TestFolder(SignedByUsContract):
    @pytest.fixture
    def root(self, tmp_path):
        return tmp_path / "objects"

    @pytest.fixture
    def objects(self, root):
        return FolderObjects(root, *SETTINGS)

    @pytest.fixture
    def outside(self, tmp_path):
        (tmp_path / "outside").mkdir()
        (tmp_path / "outside" / "secret").write_bytes(b"secret")
        return tmp_path / "outside"

    def test_links_are_not_followed(self, objects, root, outside):
        put(objects, "a/file")
        (root / "a" / "folder").symlink_to(outside)
        (root / "a" / "link").symlink_to(outside / "secret")
        for key in ("a/folder/secret", "a/link"):
            assert not objects.exists(key)
            with pytest.raises(NotFound):
                objects.open(key)
        for key in ("a/folder/secret", "a/folder/new"):
            with pytest.raises(Invalid):
                put(objects, key)
            objects.delete(key)
        assert list(objects.keys("")) == ["a/file"]
        put(objects, "a/link", b"a file of our own")
        assert not (root / "a" / "link").is_symlink()
        assert [path.read_bytes() for path in outside.iterdir()] == [b"secret"]

    def test_other_things_than_files_are_not_opened(self, objects, root):
        put(objects, "a/b")
        os.mkfifo(root / "a" / "pipe")
        (root / "a" / "folder").mkdir()
        for key in ("a/pipe", "a/folder"):
            assert not objects.exists(key)
        with pytest.raises(Invalid):
            put(objects, "a/folder")

    def test_a_file_and_a_folder_of_one_name_cannot_both_be(self, objects):
        put(objects, "a")
        with pytest.raises(Invalid) as refused:
            put(objects, "a/b")
        assert refused.value.code == "key_invalid"

    def test_only_the_owner_can_read(self, objects, root):
        put(objects, "a/b")
        assert stat.S_IMODE((root / "a").stat().st_mode) == 0o700
        assert stat.S_IMODE((root / "a" / "b").stat().st_mode) == 0o600

    def test_nothing_is_left_aside(self, objects, root):
        put(objects, "a/b")
        with pytest.raises(ValueError):
            objects.put("a/b", BrokenStream(ValueError()))
        assert list((root / ".incoming").iterdir()) == []
        with pytest.raises(Invalid):
            put(objects, ".incoming/x")

    def test_a_disk_that_takes_no_more_is_unavailable_and_nothing_is_left(self, objects, root):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
        try:
            with pytest.raises(Unavailable) as refused:
                put(objects, "a/b", b"x" * 200_000)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert refused.value.code == "storage_unavailable"
        assert [path for path in root.rglob("*") if path.is_file()] == []

    def test_a_root_that_is_no_folder_is_unavailable_and_not_named(self, objects, root):
        root.write_text("a file")
        for use in (lambda: put(objects, "a/b"), lambda: put(objects, "a")):
            with pytest.raises(Unavailable) as refused:
                use()
            assert refused.value.code == "storage_unavailable"
            assert "/" not in refused.value.message
