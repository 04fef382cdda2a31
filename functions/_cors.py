"""Which origins a browser lets read us, and what a preflight is told.

Reads are open to everyone; changing methods are named to an allowed origin only (contract: paperbench-api.md 1.3).
flask-cors answers per resource and origin, not per method and origin, so these lines are our own.
"""

from __future__ import annotations

from flask import Response, current_app, request

from functions import _access
from functions._kit import settings

EXPOSED = (
    "ETag, Link, Location, Content-Location, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, "
    "Idempotency-Replayed, Deprecation"
)
ASKABLE = "If-None-Match, Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-Id, Range"


def preflight() -> Response | None:
    """Answers OPTIONS for a known address (a before_request hook)."""
    if request.method != "OPTIONS" or request.url_rule is None:
        return None
    known = set(current_app.create_url_adapter(request).allowed_methods())  # type: ignore[union-attr]
    told = ", ".join(sorted(known if _ours() else known & _access.READING))
    response = Response(status=204)
    del response.headers["Content-Type"]
    response.headers["Allow"] = told
    response.headers["Access-Control-Allow-Methods"] = told
    response.headers["Access-Control-Allow-Headers"] = ASKABLE
    response.headers["Access-Control-Max-Age"] = "600"
    return response


def allow(response: Response) -> Response:
    """Adds what a browser needs to hand the answer to its script (an after_request hook)."""
    if request.method not in ("GET", "HEAD") and _ours():
        response.headers["Access-Control-Allow-Origin"] = request.headers["Origin"]
        response.vary.add("Origin")
    elif request.method in _access.READING:
        response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Access-Control-Expose-Headers"] = EXPOSED
    return response


def _ours() -> bool:
    return "Origin" in request.headers and _access.origin_is_allowed(settings(), _access.auth_is_open(settings()))
