"""How gunicorn serves the functions: what `infra/gunicorn.web.py` and `infra/gunicorn.sse.py` have in common.

Settings of gunicorn: https://gunicorn.org/reference/settings/
"""

from __future__ import annotations

import contextlib
import json
import logging
import signal
from http import HTTPStatus
from types import FrameType
from typing import Any

from gunicorn import util
from gunicorn.glogging import Logger
from gunicorn.http import errors
from gunicorn.workers.gthread import ThreadWorker
from ulid import ULID

from functions import _shutdown
from runner.settings import Settings

OTHER_REQUESTS = 32
"""Threads beside the streams, so that streams never take the whole pool."""
IDLE_CONNECTIONS = 512

_UNREADABLE = (HTTPStatus.BAD_REQUEST, "bad_request", "This request cannot be understood.")
_BROKEN = (HTTPStatus.INTERNAL_SERVER_ERROR, "internal_error", "Something went wrong on our side.")
_REFUSALS: dict[type[Exception], tuple[HTTPStatus, str, str]] = {
    errors.LimitRequestLine: (HTTPStatus.REQUEST_URI_TOO_LONG, "uri_too_long", "The address is too long."),
    errors.LimitRequestHeaders: (
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
        "headers_too_large",
        "The headers are too large or too many.",
    ),
    errors.ExpectationFailed: (HTTPStatus.EXPECTATION_FAILED, "expectation_failed", "This Expect cannot be met."),
    errors.UnsupportedTransferCoding: (
        HTTPStatus.NOT_IMPLEMENTED,
        "transfer_coding_unsupported",
        "The only Transfer-Encoding understood here is chunked.",
    ),
    errors.InvalidResponseHeader: _BROKEN,
    errors.InvalidResponseHeaderName: _BROKEN,
    errors.ParseException: _UNREADABLE,
}
"""What gunicorn refuses before the application is asked: (status, code, sentence)."""


def config(site: Settings, *, workers: int, port: int) -> dict[str, Any]:
    """gunicorn's settings by name. It trusts no proxy: that is decided by Reprise's own TRUSTED_PROXIES alone."""
    threads = site.max_streams + OTHER_REQUESTS
    host = f"[{site.host}]" if ":" in site.host else site.host
    return {
        "bind": [f"{host}:{port}"],
        "workers": workers,
        "worker_class": Worker,
        "threads": threads,
        "worker_connections": threads + IDLE_CONNECTIONS,
        "timeout": 60,
        "graceful_timeout": 8,
        "keepalive": 15,
        "limit_request_line": 8190,
        "limit_request_fields": 100,
        "limit_request_field_size": 8190,
        "forwarded_allow_ips": "",
        "forwarder_headers": "",
        "secure_scheme_headers": {},
        "control_socket_disable": True,
        "loglevel": site.log_level,
        "accesslog": None,
        "logger_class": QuietLogger,
        "post_worker_init": end_streams_on_stop,
    }


def end_streams_on_stop(worker: Any) -> None:
    """gunicorn's hook `post_worker_init`: open streams hear of the stop before gunicorn starts to wait for them.

    INT and QUIT stop as TERM does: gunicorn's own way shuts the thread pool down inside the signal handler, which hangs
    when the signal comes while a request is handed to the pool.
    """

    def told(number: int, frame: FrameType | None) -> None:
        _shutdown.stop()
        worker.handle_exit(number, frame)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, told)
        signal.siginterrupt(number, False)


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threads, whose own refusals look like all others: JSON with a request id instead of HTML."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:
        """Called inside `except`; the connection is closed afterwards."""
        request_id = str(ULID())
        status, code, sentence = next((_REFUSALS[kind] for kind in type(exc).__mro__ if kind in _REFUSALS), _BROKEN)
        if status == HTTPStatus.INTERNAL_SERVER_ERROR:
            self.log.exception("%s %s", request_id, getattr(req, "path", "(no address was read)"))
        else:
            self.log.info("%s refused: %s", request_id, type(exc).__name__)
        with contextlib.suppress(OSError):
            util.write_nonblock(client, refusal(status, code, sentence, request_id))


def refusal(status: HTTPStatus, code: str, sentence: str, request_id: str) -> bytes:
    """A whole HTTP answer, after which the connection closes."""
    answer = {"error": sentence, "code": code, "retryable": False}
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        answer["request_id"] = request_id
    body = json.dumps(answer)
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}",
        "Connection: close",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"X-Request-Id: {request_id}",
        "X-Content-Type-Options: nosniff",
        "Cache-Control: no-store",
    )
    return "\r\n".join((*head, "", body)).encode("ascii")


class QuietLogger(Logger):  # type: ignore[misc]
    """gunicorn's logger without query strings: they can hold tickets and signatures."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        self.error_log.addFilter(_without_queries)


def _without_queries(record: logging.LogRecord) -> bool:
    if isinstance(record.args, tuple):
        record.args = tuple(
            part.partition("?")[0] if isinstance(part, str) and part.startswith("/") else part for part in record.args
        )
    return True
