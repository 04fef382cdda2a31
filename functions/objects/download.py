"""GET /objects/<key>: the bytes behind a signed address of the folder store. The signature is the key: nothing else is
asked for."""

from __future__ import annotations

import re
from contextlib import AbstractContextManager, ExitStack
from typing import Any, BinaryIO

from flask import Response, request
from werkzeug.wsgi import FileWrapper

from functions import _http
from runner.domain import disposition, signing
from runner.domain.signing import Signed

CHUNK = 256 * 1024
_ONE_RANGE = re.compile(r"bytes=([0-9]+-[0-9]*|-0*[1-9][0-9]*)", re.IGNORECASE)

bp = _http.blueprint(__name__, prefix="", guarded=False)


@bp.get(f"{signing.PREFIX}<path:key>")
def show(key: str) -> Response:
    path, _, query = _target().partition("?")
    signed = signing.verify(_http.kit().secret, path, query, _http.ports().clock.now())
    return _sent(signed, _http.ports().objects.open(signed.key))


def _sent(signed: Signed, opening: AbstractContextManager[BinaryIO]) -> Response:
    """The bytes, or the asked range of them, streamed. Raises RequestedRangeNotSatisfiable."""
    with ExitStack() as opened:
        file = opened.enter_context(opening)
        size = file.seek(0, 2)
        file.seek(0)
        response = Response(FileWrapper(file, CHUNK), content_type=signed.content_type, direct_passthrough=True)
        response.content_length = size
        response.headers["Content-Disposition"] = disposition.header(
            signed.filename, signed.content_type, signed.inline
        )
        response.headers["Content-Security-Policy"] = (
            "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        )
        response.headers["Cache-Control"] = "private, max-age=3600"
        response.make_conditional(_with_one_range(), accept_ranges=True, complete_length=size)
        response.call_on_close(opened.pop_all().close)
    return response


def _with_one_range() -> dict[str, Any]:
    """The request without a `Range` that is to be ignored: of HEAD, of another unit, unreadable, or several at once
    (https://www.rfc-editor.org/rfc/rfc9110#section-14.2)."""
    asked = request.headers.get("Range", "")
    if request.method == "GET" and request.range is not None and _ONE_RANGE.fullmatch(asked):
        return request.environ
    return {name: value for name, value in request.environ.items() if name != "HTTP_RANGE"}


def _target() -> str:
    """Path and query as the request line had them: the signature covers the undecoded text."""
    raw: str = request.environ.get("RAW_URI") or request.environ.get("REQUEST_URI", "")
    if "://" in raw.partition("?")[0]:
        raw = "/" + raw.split("://", 1)[1].partition("/")[2]
    return raw
