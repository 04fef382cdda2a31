"""An object store in memory."""

from __future__ import annotations

import contextlib
import hashlib
import io
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import BinaryIO

from runner.domain import object_key, signing
from runner.domain.errors import NotFound
from runner.domain.papers import StoredFile

_CHUNK_BYTES = 1 << 20


class MemoryObjects:
    def __init__(self, secret: bytes, origin: str, now: Callable[[], datetime]) -> None:
        self._secret = secret
        self._origin = origin
        self._now = now
        self._stored: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def put(self, key: str, data: BinaryIO, content_type: str = "application/octet-stream") -> StoredFile:
        object_key.check(key)
        content = b"".join(iter(lambda: data.read(_CHUNK_BYTES), b""))
        with self._lock:
            self._stored[key] = content
        return StoredFile(key, hashlib.sha256(content).hexdigest(), len(content))

    def open(self, key: str) -> contextlib.AbstractContextManager[BinaryIO]:
        object_key.check(key)
        with self._lock:
            if key not in self._stored:
                raise NotFound("There is no such stored file.", "object_not_found")
            return io.BytesIO(self._stored[key])

    def exists(self, key: str) -> bool:
        object_key.check(key)
        with self._lock:
            return key in self._stored

    def delete(self, key: str) -> None:
        object_key.check(key)
        with self._lock:
            self._stored.pop(key, None)

    def keys(self, prefix: str) -> Iterator[str]:
        with self._lock:
            return iter(sorted(key for key in self._stored if key.startswith(prefix)))

    def url(self, key: str, *, filename: str, content_type: str, inline: bool = False, valid_s: int = 3600) -> str:
        signed = signing.Signed(object_key.check(key), filename, content_type, inline)
        return self._origin + signing.sign(self._secret, signed, self._now(), valid_s)

    def location(self, prefix: str) -> str:
        return f"objects://{prefix}"
