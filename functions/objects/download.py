"""GET /objects/<key>: the bytes behind a signed address of the folder store. The signature is the key: nothing else is
asked for."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import BinaryIO
from urllib.parse import quote

from flask import Response, request
from werkzeug.wsgi import FileWrapper

from functions import _http
from runner.domain import signing
from runner.domain.signing import Signed

CHUNK = 256 * 1024
NEVER_INLINE = ("html", "svg", "xml", "javascript")
"""Kinds of files that a browser would run on our origin."""

bp = _http.blueprint(__name__, prefix="", guarded=False)


@bp.get(f"{signing.PREFIX}<path:key>")
def show(key: str) -> Response:
    path, _, query = _target().partition("?")
    signed = signing.verify(_http.kit().secret, path, query, _http.ports().clock.now())
    return _sent(signed, _http.ports().objects.open(signed.key))


def _sent(signed: Signed, opening: AbstractContextManager[BinaryIO]) -> Response:
    """The bytes, or the asked range of them, streamed."""
    file = opening.__enter__()
    size = file.seek(0, 2)
    file.seek(0)
    response = Response(FileWrapper(file, CHUNK), content_type=signed.content_type, direct_passthrough=True)
    response.call_on_close(lambda: opening.__exit__(None, None, None))
    response.content_length = size
    response.headers["Content-Disposition"] = disposition(signed)
    response.headers["Content-Security-Policy"] = (
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    )
    response.headers["Cache-Control"] = "private, max-age=3600"
    response.make_conditional(request, accept_ranges=True, complete_length=size)
    return response


def disposition(signed: Signed) -> str:
    """`Content-Disposition` by RFC 6266: an ASCII name, and the real one beside it where they differ."""
    risky = any(part in signed.content_type.lower() for part in NEVER_INLINE)
    kind = "inline" if signed.inline and not risky else "attachment"
    name = "".join(c for c in signed.filename if c.isprintable() and c not in "/\\") or "file"
    plain = "".join(c if " " <= c <= "~" and c not in '"%' else "_" for c in name)
    extended = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return f'{kind}; filename="{plain}"{extended}'


def _target() -> str:
    """Path and query as the request line had them: the signature covers the undecoded text."""
    raw: str = request.environ.get("RAW_URI") or request.environ.get("REQUEST_URI", "")
    if "://" in raw.partition("?")[0]:
        raw = "/" + raw.split("://", 1)[1].partition("/")[2]
    return raw
