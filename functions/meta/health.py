"""GET /healthz and /readyz: whether this process answers, and whether what it needs does."""

from __future__ import annotations

from collections.abc import Callable

from flask import Response

from functions import _http
from runner.domain.errors import DomainError, Unavailable
from runner.ports import Ports

bp = _http.blueprint(__name__, prefix="", guarded=False)

NEEDED: dict[str, Callable[[Ports], object]] = {
    "database": lambda ports: ports.papers.slug_is_taken("readyz", "readyz"),
    "objects": lambda ports: ports.objects.exists("readyz"),
    "queue": lambda ports: ports.queue.knows("readyz"),
}


@bp.get("/healthz")
def alive() -> Response:
    return _http.reply({"status": "ok"}, headers={"Cache-Control": "no-store"})


@bp.get("/readyz")
def ready() -> Response:
    checks = {name: _answers(check) for name, check in NEEDED.items()}
    if not all(checks.values()):
        raise Unavailable("Something this server needs does not answer.", "not_ready", checks=checks)
    return _http.reply({"status": "ready", "checks": checks}, headers={"Cache-Control": "no-store"})


def _answers(check: Callable[[Ports], object]) -> bool:
    try:
        check(_http.ports())
    except DomainError:
        return False
    return True
