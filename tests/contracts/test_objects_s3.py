"""The contract of `Objects` on a real S3 server, and what is special there: parts, signatures, two error shapes."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import io
import itertools
import os
import shutil
import threading
import tracemalloc
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import httpx
import pytest

from runner.adapters.objects_minio import PART_BYTES, Bucket, BucketObjects
from runner.domain.errors import Invalid, NotFound, Unavailable
from tests.contracts.test_objects import BrokenStream, ObjectsContract, put, read

CODES = {400: "InvalidRequest", 403: "AccessDenied", 404: "NoSuchKey", 409: "Conflict", 500: "InternalError"}
numbers = itertools.count(1)


def now():
    return datetime.now(UTC)


def bucket_on(s3, name=None, **changes):
    told = {
        "name": name or f"test-{next(numbers)}",
        "region": "us-east-1",
        "endpoint": s3.endpoint,
        "secure": False,
        "public_endpoint": s3.endpoint,
        "public_secure": False,
        "access_key": s3.access_key,
        "secret_key": s3.secret_key,
    }
    return Bucket(**{**told, **changes})


@pytest.fixture
def bucket(s3):
    return bucket_on(s3)


@pytest.fixture
def objects(bucket):
    return BucketObjects(bucket, now)


class Zeros(io.RawIOBase):
    """So many bytes that come in small pieces and lie nowhere."""

    def __init__(self, size):
        self.left = size

    def read(self, size=-1):
        given = min(self.left, size, 100_000)
        self.left -= given
        return bytes(given)


class TestBucket(ObjectsContract):
    def url_prefix(self, objects):
        return f"/{objects.location('').removeprefix('s3://')}"

    def test_the_location_is_no_server_path(self, objects, bucket):
        assert objects.location("papers/x/") == f"s3://{bucket.name}/papers/x/"

    @pytest.mark.parametrize("size", [PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 3 * PART_BYTES + 7])
    def test_large_files_go_up_in_parts(self, objects, size):
        content = os.urandom(size)
        stored = put(objects, "runs/1/large", content)
        assert (stored.size_bytes, stored.sha256) == (size, hashlib.sha256(content).hexdigest())
        with objects.open("runs/1/large") as file:
            assert b"".join(iter(lambda: file.read(1 << 20), b"")) == content

    def test_an_upload_that_breaks_after_some_parts_leaves_what_was_there(self, objects):
        put(objects, "k", b"old")

        class Breaking(Zeros):
            def read(self, size=-1):
                if self.left == 0:
                    raise ConnectionResetError("the client went away")
                return super().read(size)

        with pytest.raises(ConnectionResetError):
            objects.put("k", Breaking(2 * PART_BYTES + 5))
        assert read(objects, "k") == b"old"
        assert list(objects.keys("")) == ["k"]

    @pytest.mark.slow
    def test_neither_way_holds_a_file_in_memory(self, objects):
        size = 120 * 2**20
        put(objects, "warm", b"up")
        tracemalloc.start()
        try:
            objects.put("large", Zeros(size))
            with objects.open("large") as file:
                assert sum(len(chunk) for chunk in iter(lambda: file.read(1 << 20), b"")) == size
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 40 * 2**20

    def test_a_file_is_read_like_any_other_stream(self, objects):
        put(objects, "k", b"first\nsecond\nrest")
        with objects.open("k") as file:
            assert [file.readline(), file.read(3), file.read()] == [b"first\n", b"sec", b"ond\nrest"]
            assert file.read(1) == b""

    def test_many_may_read_and_leave_early(self, objects):
        put(objects, "k", bytes(3_000_000))
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(60):
            with objects.open("k") as file:
                assert file.read(10) == bytes(10)
        assert len(os.listdir("/proc/self/fd")) < before + 10

    def test_an_absent_bucket_has_no_files_and_is_made_by_the_first_put(self, objects, s3, bucket):
        assert not (s3.folder / bucket.name).exists()
        assert not objects.exists("k")
        assert list(objects.keys("")) == []
        with pytest.raises(NotFound):
            objects.open("k")
        objects.delete("k")
        put(objects, "k")
        assert (s3.folder / bucket.name).is_dir()
        assert read(BucketObjects(bucket, now), "k") == b"content"

    def test_a_bucket_that_somebody_removed_is_made_again(self, objects, s3, bucket):
        put(objects, "k")
        shutil.rmtree(s3.folder / bucket.name)
        s3.stop()
        s3.start()
        with contextlib.suppress(Unavailable):
            put(objects, "k", b"once more")
        put(objects, "k", b"again")
        assert read(objects, "k") == b"again"

    @pytest.mark.parametrize("key", [" ", "\u3000", "\u2028 "])
    def test_a_blank_key_is_refused(self, objects, key):
        with pytest.raises(Invalid) as refused:
            put(objects, key)
        assert refused.value.code == "key_invalid"


class TestUrls:
    def test_anyone_may_get_it_with_the_name_and_type_it_says(self, objects):
        put(objects, "runs/1/報告.html", "<p>再現".encode())
        url = objects.url("runs/1/報告.html", filename="報 告.html", content_type="text/plain", inline=True)
        answer = httpx.get(url)
        assert (answer.status_code, answer.content) == (200, "<p>再現".encode())
        assert answer.headers["content-type"] == "text/plain"
        said = "inline; filename=\"_ _.html\"; filename*=UTF-8''%E5%A0%B1%20%E5%91%8A.html"
        assert answer.headers["content-disposition"] == said

    def test_what_a_browser_would_run_is_never_shown_in_place(self, objects):
        put(objects, "x", b"<script>")
        answer = httpx.get(objects.url("x", filename="x.html", content_type="text/html", inline=True))
        assert answer.headers["content-disposition"] == 'attachment; filename="x.html"'

    @pytest.mark.parametrize(
        "old, new",
        [
            ("/k?", "/other?"),
            ("text%2Fplain", "text%2Fhtml"),
            ("X-Amz-Expires=60", "X-Amz-Expires=600000"),
            ("Signature=", "Signature=0"),
        ],
    )
    def test_a_changed_one_is_refused(self, objects, old, new):
        put(objects, "k")
        put(objects, "other", b"secret")
        url = objects.url("k", filename="f", content_type="text/plain", valid_s=60)
        assert old in url
        assert httpx.get(url).status_code == 200
        assert httpx.get(url.replace(old, new)).status_code == 403

    def test_an_expired_one_is_refused(self, bucket):
        objects = BucketObjects(bucket, lambda: now() - timedelta(minutes=5))
        put(objects, "k")
        assert httpx.get(objects.url("k", filename="f", content_type="a/b", valid_s=600)).status_code == 200
        late = httpx.get(objects.url("k", filename="f", content_type="a/b", valid_s=60))
        assert late.status_code in (400, 403)  # S3 and MinIO say 403, this server 400
        assert late.content != b"content"

    def test_it_does_not_let_anyone_write_or_delete(self, objects):
        put(objects, "k")
        url = objects.url("k", filename="f", content_type="a/b")
        assert httpx.put(url, content=b"other").status_code == 403
        assert httpx.delete(url).status_code == 403
        assert read(objects, "k") == b"content"

    def test_it_leads_to_the_public_endpoint_without_a_request(self, s3):
        """Nobody answers on either of these."""
        bucket = bucket_on(
            s3, "b-1", endpoint="127.0.0.1:1", public_endpoint="files.example.org", public_secure=True, region="eu-1"
        )
        url = urlsplit(BucketObjects(bucket, now).url("k", filename="f", content_type="a/b"))
        assert (url.scheme, url.netloc, url.path) == ("https", "files.example.org", "/b-1/k")
        assert "%2Feu-1%2Fs3%2Faws4_request" in url.query
        assert s3.secret_key not in url.query


@pytest.fixture
def told():
    """A function that starts a server with one answer to everything, and gives its endpoint."""
    started = []

    def start(status, content_type):
        body = b"" if status == 200 else f"<Error><Code>{CODES[status]}</Code><Message>m</Message></Error>".encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_GET = do_PUT = do_DELETE = do_HEAD = answer  # noqa: N815

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        started.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        return f"127.0.0.1:{server.server_address[1]}"

    yield start
    for server in started:
        server.shutdown()
        server.server_close()


class TestFaults:
    def uses(self, objects):
        return {
            "put": lambda: put(objects, "k"),
            "open": lambda: read(objects, "k"),
            "exists": lambda: objects.exists("k"),
            "delete": lambda: objects.delete("k"),
            "keys": lambda: list(objects.keys("")),
        }

    @pytest.mark.parametrize("use", ["put", "open", "exists", "delete", "keys"])
    @pytest.mark.parametrize("change", [{"endpoint": "127.0.0.1:1"}, {"secret_key": "wrong-secret"}])
    def test_a_store_that_is_away_or_refuses_us_is_unavailable_and_not_named(self, s3, change, use):
        put(BucketObjects(bucket_on(s3, "known"), now), "k")
        objects = BucketObjects(bucket_on(s3, "known", **change), now)
        with pytest.raises(Unavailable) as refused:
            self.uses(objects)[use]()
        assert (refused.value.code, refused.value.retryable) == ("storage_unavailable", True)
        for told in ("127.0.0.1", "known", s3.access_key, "wrong-secret"):
            assert told not in refused.value.message

    @pytest.mark.parametrize("shape", ["application/xml", "text/xml", "text/html"])
    def test_absent_is_told_in_any_shape(self, s3, told, shape):
        objects = BucketObjects(bucket_on(s3, endpoint=told(404, shape)), now)
        with pytest.raises(NotFound) as refused:
            objects.open("k")
        assert refused.value.code == "object_not_found"
        assert not objects.exists("k")
        assert list(objects.keys("")) == []
        objects.delete("k")

    @pytest.mark.parametrize("shape", ["application/xml", "text/xml", "text/html"])
    @pytest.mark.parametrize("status", [400, 403, 409, 500])
    def test_everything_else_is_unavailable_in_any_shape(self, s3, told, status, shape):
        objects = BucketObjects(bucket_on(s3, endpoint=told(status, shape)), now)
        with pytest.raises(Unavailable) as refused:
            objects.open("k")
        assert refused.value.code == "storage_unavailable"
        with pytest.raises(Unavailable):
            objects.delete("k")

    def test_an_answer_that_is_no_list_is_unavailable(self, s3, told):
        with pytest.raises(Unavailable):
            list(BucketObjects(bucket_on(s3, endpoint=told(200, "application/xml")), now).keys(""))

    def test_it_recovers_by_itself(self, s3, objects):
        put(objects, "k")
        s3.stop()
        try:
            with pytest.raises(Unavailable):
                read(objects, "k")
        finally:
            s3.start()
        assert read(objects, "k") == b"content"

    def test_a_download_that_is_cut_is_no_shorter_file(self, s3, objects):
        put(objects, "k", os.urandom(80 * 2**20))
        with objects.open("k") as file:
            file.read(1)
            s3.stop()
            try:
                with pytest.raises(Unavailable):
                    file.read()
            finally:
                s3.start()

    def test_a_broken_stream_is_the_callers_error(self, objects):
        with pytest.raises(ConnectionResetError):
            objects.put("k", BrokenStream(ConnectionResetError()))
