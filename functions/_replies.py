"""Answers: JSON with an ETag if asked, and event streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import Response, request

from functions import _json


def reply(
    payload: Any, status: int = 200, etag: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON answer. With `etag` (unquoted) a read with a matching `If-None-Match` gets 304."""
    response = Response(_json.dump(payload), status, dict(headers or {}), content_type="application/json")
    if etag is not None:
        response.set_etag(etag)
        if request.method in ("GET", "HEAD"):
            response.make_conditional(request)
    return response


def sse(frames: Iterable[bytes] | Iterable[str]) -> Response:
    """An event stream. `frames` runs outside of any request context: it must hold all it needs.

    Clean-up belongs into the generator's `finally`: it is closed when the client has gone.
    """
    response = Response(frames, content_type="text/event-stream")
    response.headers["Cache-Control"] = "no-cache, no-transform"
    response.headers["X-Accel-Buffering"] = "no"
    return response
