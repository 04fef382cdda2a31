"""Multipart bodies: the one part `file` as a stream; memory does not grow with its size.

    sent = _http.multipart(limit)                 # reads up to the start of the part
    stored = ports.objects.put(key, sent.data)    # pulls; the end comes only when the whole body was read and is whole

Other parts are read and thrown away. Werkzeug's decoder finds the parts (it is sans-IO), we feed it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.sansio.multipart import Data, Epilogue, Event, Field, File, MultipartDecoder, NeedData

from functions._incoming import CHUNK, Incoming, incoming, is_multipart
from runner.domain.errors import Fault, Invalid, Malformed, TooLarge, UnsupportedMediaType

OVERHEAD = 2**20
"""Bytes that boundaries, headers and small other parts may take besides the file."""
MOST_PARTS = 100
_QUOTED_NAME = re.compile(r'[;\s]filename="((?:[^"\\]|\\.)*)"', re.IGNORECASE)
_SEPARATORS = re.compile(r"[/\\]")


def multipart(limit: int) -> SentFile:
    """The part named `file`, positioned at its first byte; at most `limit` bytes can be read from it.

    Raises UnsupportedMediaType, Malformed `bad_multipart`, Invalid `validation_failed` (no such part),
    TooLarge `upload_too_large`; reading raises the last two and `body_incomplete` as well.
    """
    if not is_multipart():
        raise UnsupportedMediaType("Send the file as multipart/form-data.")
    source = incoming()
    if (source.length or 0) > limit + OVERHEAD:
        raise _too_large(limit)
    events = _events(source, limit)
    for event in events:
        if isinstance(event, Field | File) and event.name == "file":
            name = _file_name(_given_name(event))
            return SentFile(name, io.BufferedReader(_Part(events, limit), CHUNK))
    raise _bad_part("missing_field", "The form has no part named file.")


@dataclass(frozen=True, slots=True)
class SentFile:
    """`filename` is a plain name of 1 to 200 characters; `data` can be read once."""

    filename: str
    data: BinaryIO


class _Part(io.RawIOBase):
    """The bytes of one part as a stream."""

    def __init__(self, events: Iterator[Event], limit: int) -> None:
        super().__init__()
        self._events = events
        self._limit = limit
        self._count = 0
        self._waiting = memoryview(b"")
        self._inside = True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Fills `buffer` from the body; 0 only when every part of the form was read."""
        target = memoryview(buffer).cast("B")
        while not self._waiting and self._inside:
            self._waiting = memoryview(self._next())
        taken = min(len(target), len(self._waiting))
        target[:taken] = self._waiting[:taken]
        self._waiting = self._waiting[taken:]
        return taken

    def _next(self) -> bytes:
        event = next(self._events)
        assert isinstance(event, Data)
        self._count += len(event.data)
        if self._count > self._limit:
            raise _too_large(self._limit)
        if not event.more_data:
            self._inside = False
            self._read_rest()
        return event.data

    def _read_rest(self) -> None:
        for event in self._events:
            if isinstance(event, Field | File) and event.name == "file":
                raise _bad_part("duplicate_field", "The form has more than one part named file.")


def _events(source: Incoming, limit: int) -> Iterator[Event]:
    """What the decoder finds, up to the end of the form. Data of parts comes in pieces."""
    boundary = request.mimetype_params.get("boundary", "")
    if not 0 < len(boundary) <= 200:
        raise _malformed()
    decoder = MultipartDecoder(boundary.encode("utf-8", "replace"), max_form_memory_size=OVERHEAD, max_parts=MOST_PARTS)
    try:
        yield from _decoded(decoder, source, limit)
    except (ValueError, RequestEntityTooLarge, LookupError, AttributeError):
        raise _malformed() from None


def _decoded(decoder: MultipartDecoder, source: Incoming, limit: int) -> Iterator[Event]:
    while True:
        event = decoder.next_event()
        if isinstance(event, NeedData):
            if source.read_bytes > limit + OVERHEAD:
                raise _too_large(limit)
            decoder.receive_data(source.read(CHUNK) or None)
            continue
        yield event
        if isinstance(event, Epilogue):
            return


def _given_name(event: Field | File) -> str:
    """The file name as it was written. Browsers leave backslashes as they are, so `\\d` stands for itself."""
    written = _QUOTED_NAME.search(event.headers.get("content-disposition", ""))
    if written:
        return written[1].replace('\\"', '"')
    return event.filename if isinstance(event, File) else ""


def _file_name(given: str) -> str:
    """The part after the last `/` or `\\`, without control characters, at most 200 characters, `file` if empty."""
    name = "".join(c for c in _SEPARATORS.split(given)[-1] if c.isprintable() or c == " ").strip()
    return name[:200] or "file"


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"The file is larger than {limit // 2**20} MiB.")


def _malformed() -> Malformed:
    return Malformed("The body is not a complete multipart/form-data form.", "bad_multipart")


def _bad_part(code: str, sentence: str) -> Invalid:
    return Invalid(sentence, details=[Fault("file", code, sentence)])
