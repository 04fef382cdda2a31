"""GET / and the dashboard's files: plain HTML, CSS, ES modules and catalogues, nothing from elsewhere."""

from __future__ import annotations

import os
import pathlib

from flask import Response, request
from werkzeug.exceptions import NotFound
from werkzeug.security import safe_join

from functions import _http
from runner import assets

bp = _http.blueprint(__name__, prefix="", scope=None)

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@bp.get("/", defaults={"name": "index.html"})
@bp.get("/<any('favicon.svg'):name>")
def shell(name: str) -> Response:
    return _file("", name)


@bp.get("/<any(css, js, i18n):folder>/<path:name>")
def asset(folder: str, name: str) -> Response:
    return _file(folder, name)


def _file(folder: str, name: str) -> Response:
    """The file with an ETag, to be asked for again each time. Raises NotFound, also for names that lead elsewhere."""
    kind = TYPES.get(pathlib.PurePosixPath(name).suffix)
    path = safe_join(str(assets.path("dashboard") / folder), name)
    if kind is None or path is None or not os.path.isfile(path):
        raise NotFound
    response = Response(pathlib.Path(path).read_bytes(), content_type=kind)
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.add_etag()
    response.make_conditional(request)
    return response
