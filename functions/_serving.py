"""How gunicorn serves the functions: what `infra/gunicorn.web.py` and `infra/gunicorn.sse.py` have in common.

Settings of gunicorn: https://gunicorn.org/reference/settings/
"""

from __future__ import annotations

import logging
import signal
from types import FrameType
from typing import Any

from gunicorn.glogging import Logger

from functions import _shutdown
from runner.settings import Settings

OTHER_REQUESTS = 32
"""Threads beside the streams, so that streams never take the whole pool."""
IDLE_CONNECTIONS = 512


def config(site: Settings, *, workers: int, port: int) -> dict[str, Any]:
    """gunicorn's settings by name. It trusts no proxy: that is decided by Reprise's own TRUSTED_PROXIES alone."""
    threads = site.max_streams + OTHER_REQUESTS
    host = f"[{site.host}]" if ":" in site.host else site.host
    return {
        "bind": [f"{host}:{port}"],
        "workers": workers,
        "worker_class": "gthread",
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
