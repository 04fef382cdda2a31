"""The one place where refusals become HTTP answers.

`STATUS` maps the classes of `runner.domain.errors`; what is not one of them is a bug: 500 with the request id, and a
traceback on stderr from which the secrets we know are taken out.
"""

from __future__ import annotations

import dataclasses
import logging
import re
import traceback
from typing import Any

from flask import Flask, Response, g, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed, RequestedRangeNotSatisfiable

from functions._replies import reply
from runner.domain import errors
from runner.domain.clean_text import printable
from runner.settings import Settings

STATUS: dict[type[errors.DomainError], int] = {
    errors.Malformed: 400,
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Gone: 410,
    errors.TooLarge: 413,
    errors.UnsupportedMediaType: 415,
    errors.Invalid: 422,
    errors.Unavailable: 503,
}
_HTTP_CODES = {
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "unsupported_media_type",
    416: "range_not_satisfiable",
}
_HTTP_SENTENCES = {
    404: "There is nothing at this address.",
    405: "This address does not know that method.",
    416: "The file ends before this range begins.",
}
_BEARER = re.compile(r"(?i)bearer\s+[^\s'\"]+|([?&]ticket=)[^\s&'\"]+")
log = logging.getLogger("reprise.web")


def install(app: Flask, settings: Settings) -> None:
    """Registers the handlers for refusals, HTTP errors and bugs."""
    app.register_error_handler(errors.DomainError, refusal)
    app.register_error_handler(HTTPException, http_error)
    app.register_error_handler(Exception, lambda error: failure(error, settings))


def refusal(error: errors.DomainError) -> Response:
    """`{"error", "code", "retryable", "details"?, ...facts}`. A fact that is an object must be JSON already."""
    answer: dict[str, Any] = {"error": error.message, "code": error.code, "retryable": error.retryable}
    if error.details:
        answer["details"] = [dataclasses.asdict(fault) | {"field": printable(fault.field)} for fault in error.details]
    response = reply(answer | error.facts, status_of(error))
    if isinstance(error, errors.Unavailable):
        response.headers["Retry-After"] = str(max(1, error.retry_after_s))
    if isinstance(error, errors.Unauthorized):
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def status_of(error: errors.DomainError) -> int:
    return next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 500)


def http_error(error: HTTPException) -> Response:
    """Flask's own refusals (no route, wrong method, unreadable request) in our shape."""
    status = error.code or 500
    sentence = _HTTP_SENTENCES.get(status, "This request cannot be understood.")
    response = reply({"error": sentence, "code": _HTTP_CODES.get(status, "bad_request"), "retryable": False}, status)
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    if isinstance(error, RequestedRangeNotSatisfiable):
        response.headers["Content-Range"] = f"bytes */{error.length}"
    return response


def failure(error: Exception, settings: Settings) -> Response:
    """A bug or a broken machine: logged whole, answered without any of it."""
    told = "".join(traceback.format_exception(error))
    log.error("%s %s %s\n%s", g.request_id, request.method, request.path, redacted(told, settings))
    sentence = "Something went wrong on our side; the request id names the entry in the server's log."
    return reply(
        {"error": sentence, "code": "internal_error", "retryable": False, "request_id": g.request_id},
        500,
    )


def redacted(text: str, settings: Settings) -> str:
    """`text` without the secrets of `settings`, bearer keys and tickets."""
    for secret in (settings.secret_key, settings.database_url, settings.redis_url):
        if secret and secret.get_secret_value():
            text = text.replace(secret.get_secret_value(), "(hidden)")
    return _BEARER.sub(r"\1(hidden)", text)
