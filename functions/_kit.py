"""What an app carries for its endpoints, and how an endpoint's blueprint is made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from flask import Blueprint, current_app

from functions import _access
from functions._news import News
from runner.domain.access import Scope
from runner.ports import Ports
from runner.settings import Settings

API = "/api/paperbench"
EXTENSION = "reprise"


@dataclass(frozen=True, slots=True)
class Kit:
    """`secret` signs cursors and tickets; `news` tells streams of new log lines."""

    settings: Settings
    ports: Ports
    secret: bytes
    news: News = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "news", News(self.ports.log))


def kit() -> Kit:
    return cast(Kit, current_app.extensions[EXTENSION])


def ports() -> Ports:
    return kit().ports


def settings() -> Settings:
    return kit().settings


def blueprint(module: str, *, prefix: str = API, scope: Scope | None = "run", guarded: bool = True) -> Blueprint:
    """The blueprint of one endpoint module.

    A changing request needs `scope` when a key is needed at all; None: it needs no key. `guarded=False` is for
    addresses that check by themselves or need no check (signed URLs, health).
    """
    made = Blueprint(module.removeprefix("functions.").replace(".", "_"), module, url_prefix=prefix or None)
    if guarded:
        made.before_request(lambda: _access.guard(kit().settings, kit().ports.keys, scope))
    return made
