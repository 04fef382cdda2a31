"""`create_app`: the endpoints found in the packages below `functions`, with the rules that hold for every answer."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Sequence

from flask import Flask, Response, g, request
from ulid import ULID

import functions
from functions import _cors, _errors, _incoming, _routing
from functions._kit import EXTENSION, Kit
from runner.ports import Ports
from runner.settings import Settings, load

REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def create_app(settings: Settings | None = None, ports: Ports | None = None, only: Sequence[str] = ()) -> Flask:
    """The WSGI app. `only` names endpoint modules (`runs.status`): no other one is imported then.

    Raises SettingsError; without `ports` also what opening the database or the object store raises.
    """
    settings = settings or load()
    app = Flask(__name__, static_folder=None)
    app.extensions[EXTENSION] = _kit(settings, ports)
    app.url_map.merge_slashes = False
    app.url_map.converters["paper"] = _routing.PaperPart
    app.before_request(_name_request)
    app.before_request(_cors.preflight)
    app.after_request(_finish)
    _errors.install(app, settings)
    for name in only or _endpoints():
        app.register_blueprint(importlib.import_module(f"functions.{name}").bp)
    return app


def _kit(settings: Settings, ports: Ports | None) -> Kit:
    """What is missing is made by `runner.wiring`, imported only then: it loads the drivers."""
    if ports is not None and settings.secret_key is not None:
        return Kit(settings, ports, settings.secret_key.get_secret_value().encode())
    from runner import wiring

    return Kit(settings, ports or wiring.build(settings), wiring.secret_key(settings))


def _endpoints() -> Iterator[str]:
    """`papers.register` and its like: the public modules of the packages below `functions`."""
    for package in pkgutil.iter_modules(functions.__path__):
        if package.ispkg:
            inside = importlib.import_module(f"functions.{package.name}").__path__
            yield from (f"{package.name}.{m.name}" for m in pkgutil.iter_modules(inside) if not m.name.startswith("_"))


def _name_request() -> None:
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if REQUEST_ID.fullmatch(given) else str(ULID())


def _finish(response: Response) -> Response:
    """Headers that every answer has; nothing of the body stays unread."""
    response.headers["X-Request-Id"] = g.request_id
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    kept = request.method in ("GET", "HEAD") and response.status_code < 400
    response.headers.setdefault("Cache-Control", "private, no-cache" if kept else "no-store")
    return _incoming.drain(_cors.allow(response))
