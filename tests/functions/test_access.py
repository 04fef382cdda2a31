"""Who may do what: origin, host, key, scope, private papers (paperbench-api.md 1.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from runner.domain.access import Key, Scope
from runner.ports import Ports

NEW = {"source_type": "local", "source": "s", "title": "T", "paper_id": "p"}
PROXIED = {"X-Forwarded-For": "203.0.113.9"}
EVIL = {"Origin": "https://evil.example"}


@pytest.fixture
def give_key(ports: Ports) -> Callable[..., dict[str, str]]:
    """Stores a key and returns the header that carries it."""

    def give(*scopes: Scope, revoked: bool = False) -> dict[str, str]:
        secret = f"secret-{'-'.join(scopes)}-{revoked}"
        now = datetime.now(UTC)
        digest = hashlib.sha256(secret.encode()).hexdigest()
        ports.keys.add(Key(f"key_{secret}", f"named {secret}", scopes, digest, now, now if revoked else None))
        return {"Authorization": f"Bearer {secret}"}

    return give


def test_a_foreign_origin_changes_nothing(api: Any, refused: Any) -> None:
    for origin in ("https://evil.example", "null", "http://127.0.0.1:9999"):
        refused(api.post("/papers/import", NEW, {"Origin": origin}), 403, "origin_not_allowed")
    refused(api.get("/papers/p"), 404, "paper_not_found")
    assert api.post("/papers/import", NEW, {"Origin": "http://127.0.0.1:8321"}).status_code == 201


def test_the_origin_is_checked_before_the_key(api: Any, refused: Any) -> None:
    refused(api.post("/papers/import", NEW, EVIL | {"Authorization": "Bearer none"}), 403, "origin_not_allowed")


def test_a_tunnel_may_write_under_its_own_port_only(api: Any, refused: Any) -> None:
    tunnel = {"Host": "localhost:9431", "Origin": "http://localhost:9432"}
    refused(api.post("/papers/import", NEW, tunnel), 403, "origin_not_allowed")
    for host in ("localhost:9431", "127.0.0.1", "[::1]:9"):
        headers = {"Host": host, "Origin": f"http://{host}"}
        assert api.post("/papers/import", NEW | {"overwrite": True}, headers).status_code in (200, 201)


@pytest.mark.parametrize("host", ["rebound.example", "localhost.evil.example", "127.0.0.1@evil", "", "localhost:x"])
def test_a_strange_host_gets_nothing_when_auth_is_open(api: Any, refused: Any, host: str) -> None:
    refused(api.get("/papers", {"Host": host}), 403, "host_not_allowed")


def test_the_public_origins_host_is_allowed(build: Any) -> None:
    api = build(auth="open", public_origin="https://reprise.example.org")
    assert api.get("/papers", {"Host": "reprise.example.org"}).status_code == 200
    assert api.get("/papers", {"Host": "reprise.example.org:443"}).status_code == 200
    assert api.get("/papers", {"Host": "reprise.example.org:444"}).status_code == 403


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "X-Forwarded-Proto", "x-forwarded-host"])
def test_behind_a_proxy_auth_auto_needs_a_key(api: Any, refused: Any, header: str) -> None:
    refused(api.post("/papers/import", NEW, {header: "x"}), 401, "key_invalid")
    refused(api.get("/papers/p"), 404, "paper_not_found")


def test_a_public_origin_elsewhere_closes_auth_auto(build: Any, refused: Any) -> None:
    api = build(public_origin="https://reprise.example.org")
    refused(api.post("/papers/import", NEW), 401, "key_invalid")


def test_a_peer_elsewhere_closes_auth_auto(api: Any, refused: Any) -> None:
    answer = api.send("POST", "/papers/import", json=NEW, environ_base={"REMOTE_ADDR": "192.0.2.1"})
    refused(answer, 401, "key_invalid")


def test_scopes_are_what_they_say(build: Any, refused: Any, give_key: Any) -> None:
    api = build(auth="key")
    refused(api.post("/papers/import", NEW, give_key("run")), 403, "scope_missing")
    assert api.post("/papers/import", NEW, give_key("admin")).status_code == 201
    refused(api.post("/papers/p/delete", {}, give_key("run")), 403, "scope_missing")
    refused(api.put("/papers/p/rubric", {}, give_key("admin")), 403, "scope_missing")
    refused(api.put("/papers/p/rubric", {}, give_key("run")), 422, "rubric_invalid")
    assert api.get("/papers/p").status_code == 200


def test_an_unknown_or_revoked_key_is_refused_on_reads_too(api: Any, refused: Any, give_key: Any) -> None:
    for headers in ({"Authorization": "Bearer none"}, give_key("run", revoked=True), {"Authorization": "Bearer "}):
        answer = api.get("/papers", headers)
        refused(answer, 401, "key_invalid")
        assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert api.get("/papers", {"Authorization": "Basic abc"}).status_code == 200


def test_with_auth_open_a_valid_key_counts_whatever_its_scope(api: Any, give_key: Any) -> None:
    assert api.post("/papers/import", NEW, give_key("run")).status_code == 201


def test_private_papers_do_not_exist_without_a_key(build: Any, refused: Any, give_key: Any) -> None:
    api = build(auth="key")
    key = give_key("run", "admin")
    api.post("/papers/import", NEW | {"visibility": "private"}, key)
    for path in ("/papers/p", "/papers/p/license", "/papers/p/pdf", "/papers/p/rubric", "/papers/p/submissions"):
        refused(api.get(path), 404, "paper_not_found")
    assert api.get("/papers").get_json()["papers"] == []
    assert api.get("/papers/p", key).status_code == 200
    assert len(api.get("/papers", key).get_json()["papers"]) == 1


def test_a_foreign_origin_counts_as_keyless_even_when_auth_is_open(api: Any, refused: Any, give_key: Any) -> None:
    api.paper(visibility="private")
    assert api.get("/papers/p").status_code == 200
    refused(api.get("/papers/p", EVIL), 404, "paper_not_found")
    refused(api.get("/papers/p", EVIL | give_key("run")), 404, "paper_not_found")
    assert api.get("/papers", EVIL).get_json()["papers"] == []


def test_a_pdf_that_is_not_redistributable_needs_a_key(api: Any, refused: Any) -> None:
    api.paper(pdf_path=api.upload(b"%PDF-1.4")["path"], license="arXiv non-exclusive")
    refused(api.get("/papers/p/pdf", EVIL), 401, "key_invalid")
    assert api.get("/papers/p/pdf").status_code == 302
    api.post("/papers/p/metadata", {"license": "CC BY 4.0"})
    assert api.get("/papers/p/pdf", EVIL).status_code == 302


def test_forwarded_addresses_count_from_trusted_proxies_only(build: Any) -> None:
    from functions import _http

    api = build(trusted_proxies=("127.0.0.0/8",))
    chain = {"X-Forwarded-For": "198.51.100.7, 203.0.113.9, 127.0.0.5"}
    with api.app.test_request_context("/", headers=chain, environ_base={"REMOTE_ADDR": "127.0.0.1"}):
        assert _http.client_address(("127.0.0.0/8",)) == "203.0.113.9"
        assert _http.client_address(()) == "127.0.0.1"
