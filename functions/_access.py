"""Who asks, and whether they may: origin, host, key, scope (contract: paperbench-api.md 1.3).

`guard` runs before every endpoint and leaves an `Access` in `flask.g`; endpoints ask `actor`, `may_see_private` and
`require_scope`.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import g, request

from runner.domain.access import Key, Scope
from runner.domain.errors import Forbidden, Unauthorized
from runner.ports import Keys
from runner.settings import Settings

READING = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK_HOST = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?", re.IGNORECASE | re.ASCII)
DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Access:
    """`foreign`: the request carries an `Origin` that is not ours, and counts as keyless."""

    open: bool
    key: Key | None
    foreign: bool


def guard(settings: Settings, keys: Keys, scope: Scope | None) -> None:
    """Refuses what may not pass. Raises Forbidden, Unauthorized."""
    is_open = auth_is_open(settings)
    foreign = "Origin" in request.headers and not origin_is_allowed(settings, is_open)
    if foreign and request.method not in READING:
        raise Forbidden("This origin may not change anything here.", "origin_not_allowed")
    if is_open and not _host_is_allowed(settings):
        raise Forbidden("This server does not answer under that host name.", "host_not_allowed")
    g.access = Access(is_open, _key_sent(keys), foreign)
    if scope is not None and request.method not in READING:
        require_scope(scope)


def require_scope(scope: Scope) -> None:
    """Raises Unauthorized `key_invalid` (a key is needed, none was sent), Forbidden `scope_missing`."""
    access: Access = g.access
    if access.open:
        return
    if access.key is None:
        raise Unauthorized("This needs an API key: send it as Authorization: Bearer <key>.")
    if scope not in access.key.scopes:
        raise Forbidden(f"This key lacks the scope {scope}.", "scope_missing")


def actor() -> str | None:
    """The name of the key that was sent, None without one."""
    access: Access = g.access
    return access.key.name if access.key else None


def may_see_private() -> bool:
    """Whether private papers, and PDFs that are not redistributable, exist for this request."""
    access: Access = g.access
    return not access.foreign and (access.open or access.key is not None)


def auth_is_open(settings: Settings) -> bool:
    """`auto` is open when peer and public origin are loopback and no proxy stands in front."""
    if settings.auth != "auto":
        return settings.auth == "open"
    proxied = any(name.lower() == "forwarded" or name.lower().startswith("x-forwarded-") for name, _ in request.headers)
    return not proxied and _is_loopback(request.remote_addr) and _is_loopback(urlsplit(settings.origin).hostname)


def origin_is_allowed(settings: Settings, is_open: bool) -> bool:
    """Whether the `Origin` sent may change state: a configured one, or an SSH tunnel's own when AUTH is open."""
    origin = request.headers.get("Origin", "")
    if origin.lower() in allowed_origins(settings):
        return True
    host = request.headers.get("Host", "")
    return is_open and LOOPBACK_HOST.fullmatch(host) is not None and origin.lower() == f"http://{host}".lower()


def allowed_origins(settings: Settings) -> frozenset[str]:
    return frozenset(origin.lower() for origin in settings.allowed_origins or (settings.origin,))


def client_address(trusted: tuple[str, ...]) -> str:
    """The client's address for logs and limits: from trusted peers `X-Forwarded-For` counts, read from the right."""
    networks = [ipaddress.ip_network(network, strict=False) for network in trusted]
    address = request.remote_addr or ""
    hops = [hop.strip() for hop in ",".join(request.headers.getlist("X-Forwarded-For")).split(",") if hop.strip()]
    while hops and _is_in(address, networks):
        address = hops.pop()
    return address


def _key_sent(keys: Keys) -> Key | None:
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    if kind.lower() != "bearer":
        return None
    key = keys.find(hashlib.sha256(secret.strip().encode("utf-8", "surrogatepass")).hexdigest())
    if key is None or key.revoked_at is not None:
        raise Unauthorized("This API key is unknown or revoked.")
    return key


def _host_is_allowed(settings: Settings) -> bool:
    host = request.headers.get("Host", "")
    if LOOPBACK_HOST.fullmatch(host):
        return True
    ours = [urlsplit(origin) for origin in (settings.origin, *settings.allowed_origins)]
    return any(_same_host(host.lower(), part.scheme, part.netloc.lower()) for part in ours)


def _same_host(host: str, scheme: str, netloc: str) -> bool:
    default = f":{DEFAULT_PORTS.get(scheme)}"
    return host.removesuffix(default) == netloc.removesuffix(default)


def _is_loopback(host: str | None) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def _is_in(address: str, networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network]) -> bool:
    try:
        return any(ipaddress.ip_address(address) in network for network in networks)
    except ValueError:
        return False
