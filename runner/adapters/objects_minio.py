"""Bytes in a bucket of MinIO or any S3. Loaded only where OBJECT_STORE=s3 asks for it: `minio` takes 0.2 s.

Servers tell errors as XML (`S3Error`), some as another kind of text (`InvalidResponseError`); both are translated.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, BinaryIO
from xml.etree.ElementTree import ParseError

from minio import Minio
from minio.error import InvalidResponseError, MinioException, S3Error, ServerError
from urllib3 import BaseHTTPResponse, PoolManager, Retry, Timeout
from urllib3.exceptions import HTTPError

from runner.domain import disposition, object_key
from runner.domain.errors import Invalid, NotFound, Unavailable
from runner.domain.papers import StoredFile

PART_BYTES = 8 * 2**20
"""What is held of an upload at a time. S3 takes 10,000 parts: files of up to 80 GiB."""

_CHUNK_BYTES = 1 << 18
_LONGEST_VALID = timedelta(days=7)
_CONNECT_TIMEOUT_S = 5
_READ_TIMEOUT_S = 60
_RETRIES = Retry(total=3, backoff_factor=0.2, status_forcelist=(500, 502, 503, 504))


@dataclass(frozen=True, slots=True)
class Bucket:
    """Where the bytes are, and as whom to ask. Both endpoints are `host:port`; browsers see the public one."""

    name: str
    region: str
    endpoint: str
    secure: bool
    public_endpoint: str
    public_secure: bool
    access_key: str
    secret_key: str = field(repr=False)


class BucketObjects:
    """Every request is signed for the region that the settings name, so none is spent on asking for it."""

    def __init__(self, bucket: Bucket, now: Callable[[], datetime]) -> None:
        self._bucket = bucket
        self._client = _client(bucket, bucket.endpoint, bucket.secure)
        self._signer = _client(bucket, bucket.public_endpoint, bucket.public_secure)
        self._now = now
        self._is_made = False

    def put(self, key: str, data: BinaryIO, content_type: str = "application/octet-stream") -> StoredFile:
        """In one request up to PART_BYTES, else in parts, which are given up when `data` breaks."""
        _check(key)
        source = _Counted(data)
        try:
            with _translated():
                self._make_bucket()
                self._upload(key, source, content_type)
        except Unavailable:
            self._is_made = False  # somebody may have removed it: the next one looks
            raise
        return StoredFile(key, source.sha256.hexdigest(), source.size_bytes)

    def open(self, key: str) -> contextlib.AbstractContextManager[BinaryIO]:
        _check(key)
        with _translated(absent=True):
            response = self._client.get_object(self._bucket.name, key)
        return io.BufferedReader(_Download(response), _CHUNK_BYTES)

    def exists(self, key: str) -> bool:
        _check(key)
        try:
            with _translated(absent=True):
                self._client.stat_object(self._bucket.name, key)
            return True
        except NotFound:
            return False

    def delete(self, key: str) -> None:
        _check(key)
        with contextlib.suppress(NotFound), _translated(absent=True):
            self._client.remove_object(self._bucket.name, key)

    def keys(self, prefix: str) -> Iterator[str]:
        """In the order of their code points, which is that of S3."""
        if {"", ".", ".."} & {*prefix.split("/")[:-1]}:
            return
        with contextlib.suppress(NotFound), _translated(absent=True):
            for found in self._client.list_objects(self._bucket.name, prefix, recursive=True):
                if found.object_name and not found.is_dir:
                    yield found.object_name

    def url(self, key: str, *, filename: str, content_type: str, inline: bool = False, valid_s: int = 3600) -> str:
        """On the public endpoint. No request is made."""
        return self._signer.presigned_get_object(
            self._bucket.name,
            _check(key),
            min(timedelta(seconds=valid_s), _LONGEST_VALID),
            {
                "response-content-disposition": disposition.header(filename, content_type, inline),
                "response-content-type": content_type,
            },
            request_date=self._now(),
        )

    def location(self, prefix: str) -> str:
        return f"s3://{self._bucket.name}/{prefix}"

    def _upload(self, key: str, source: _Counted, content_type: str) -> None:
        self._client.put_object(
            self._bucket.name,
            key,
            source,  # type: ignore[arg-type]  # only `read` is called
            -1,
            content_type,
            part_size=PART_BYTES,
            num_parallel_uploads=1,
        )

    def _make_bucket(self) -> None:
        """Once per process. Who may not look for buckets (403) may still write to this one."""
        if self._is_made:
            return
        try:
            if not self._client.bucket_exists(self._bucket.name):
                self._client.make_bucket(self._bucket.name, self._bucket.region)
        except (S3Error, InvalidResponseError) as error:
            if _status(error) not in (403, 409):
                raise
        self._is_made = True


class _Counted:
    """A stream on its way up: its digest and size so far."""

    def __init__(self, data: BinaryIO) -> None:
        self._data = data
        self.sha256 = hashlib.sha256()
        self.size_bytes = 0

    def read(self, size: int) -> bytes:
        chunk = self._data.read(size)
        self.sha256.update(chunk)
        self.size_bytes += len(chunk)
        return chunk


class _Download(io.RawIOBase):
    """A stream on its way down. A body that ends early is an error, not a shorter file."""

    def __init__(self, response: BaseHTTPResponse) -> None:
        self._response = response

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the start of a writable buffer; 0 is the end."""
        room = memoryview(buffer).cast("B")
        with _translated():
            chunk = self._response.read(len(room))
        room[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        """Ends the connection if there is more to come, else leaves it to the next request."""
        self._response.close()
        super().close()


def _check(key: str) -> str:
    """As everywhere, and without names of blanks alone, which the client does not take."""
    if not object_key.check(key).strip():
        raise Invalid("This is no key of the object store: it is blank.", "key_invalid")
    return key


def _client(bucket: Bucket, endpoint: str, secure: bool) -> Minio:
    timeout = Timeout(connect=_CONNECT_TIMEOUT_S, read=_READ_TIMEOUT_S)
    pool = PoolManager(maxsize=32, timeout=timeout, retries=_RETRIES)
    return Minio(
        endpoint,
        bucket.access_key,
        bucket.secret_key,
        secure=secure,
        region=bucket.region,
        http_client=pool,
    )


@contextlib.contextmanager
def _translated(absent: bool = False) -> Iterator[None]:
    """The client's errors in our words; with `absent` 404 means that there is no such file."""
    try:
        yield
    except (MinioException, HTTPError, ParseError) as error:
        if absent and _status(error) == 404:
            raise NotFound("There is no such stored file.", "object_not_found") from None
        raise Unavailable("The object store is not working.", "storage_unavailable") from error


def _status(error: Exception) -> int | None:
    """The HTTP status of the answer, if there was one."""
    if isinstance(error, S3Error):
        return error.response.status
    if isinstance(error, ServerError):
        return error.status_code
    return error._code if isinstance(error, InvalidResponseError) else None
