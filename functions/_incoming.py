"""The request's body as a counted stream, and the emptying of what nobody read.

A client that still sends when the connection closes sees a reset instead of our answer; so the rest of a refused body
is read and thrown away, up to twice the limit (contract: paperbench-api.md 1.2, 413).
"""

from __future__ import annotations

from flask import Response, g, request
from gunicorn.http.errors import ParseException
from werkzeug.exceptions import ClientDisconnected

from functions._kit import settings
from runner.domain.errors import Malformed

MAX_JSON_BYTES = 8 * 2**20
CHUNK = 64 * 1024


class Incoming:
    """The body of this request. `length` is what the client announced, None when it did not."""

    def __init__(self) -> None:
        self.length = request.content_length
        self.read_bytes = 0
        self.ended = False

    def read(self, size: int = CHUNK) -> bytes:
        """The next 1..`size` bytes, b"" at the end. Raises Malformed `body_incomplete` if the client stopped early
        or sent chunks that are none."""
        try:
            data = request.stream.read(size) if not self.ended else b""
        except (OSError, ClientDisconnected, ParseException):
            self.ended = True
            raise _stopped() from None
        self.read_bytes += len(data)
        if not data and size:
            self.ended = True
            if self.length is not None and self.read_bytes < self.length:
                raise _stopped()
        return data


def incoming() -> Incoming:
    if "incoming" not in g:
        g.incoming = Incoming()
    made: Incoming = g.incoming
    return made


def is_multipart() -> bool:
    return request.mimetype == "multipart/form-data"


def drain(response: Response) -> Response:
    """Reads away what is left of the body, so that the client gets `response` (an after_request hook)."""
    if not request.content_length and "chunked" not in request.headers.get("Transfer-Encoding", "").lower():
        return response
    limit = settings().max_upload_bytes if is_multipart() else MAX_JSON_BYTES
    body = incoming()
    try:
        while not body.ended and body.read_bytes < 2 * limit:
            body.read()
    except Malformed:
        return response
    return response


def _stopped() -> Malformed:
    return Malformed("The request body ended before it was complete, or its chunks are malformed.", "body_incomplete")
