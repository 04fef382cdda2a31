"""The page and its files; it needs no port of the engine."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any, cast

import pytest
from flask.testing import FlaskClient

from functions.app import create_app
from runner.ports import Ports
from runner.settings import load


@pytest.fixture
def page(tmp_path: pathlib.Path) -> FlaskClient:
    settings = load(data_dir=tmp_path, secret_key="0123456789abcdef0123456789abcdef")
    without_ports = cast(Any, Ports)(**{field.name: None for field in dataclasses.fields(Ports)})
    return create_app(settings, without_ports, only=["pages.dashboard"]).test_client()


@pytest.mark.parametrize(
    "path, kind",
    [
        ("/", "text/html; charset=utf-8"),
        ("/css/page.css", "text/css; charset=utf-8"),
        ("/js/main.js", "text/javascript; charset=utf-8"),
        ("/i18n/ja.json", "application/json"),
        ("/favicon.svg", "image/svg+xml"),
    ],
)
def test_each_file_comes_with_its_type_a_policy_and_an_etag(page: FlaskClient, path: str, kind: str) -> None:
    answer = page.get(path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == kind
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-cache"
    again = page.get(path, headers={"If-None-Match": answer.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    "path",
    [
        "/js/../../pyproject.toml",
        "/js/%2e%2e/index.html",
        "/js/..%2f..%2frunner%2fsettings.py",
        "/css//etc/passwd",
        "/i18n/nothing.json",
        "/js/",
        "/js/main.py",
        "/runner/settings.py",
        "/index.html",
    ],
)
def test_nothing_beside_the_pages_files_is_served(page: FlaskClient, path: str) -> None:
    answer = page.get(path)
    assert answer.status_code == 404
    assert answer.json is not None
    assert answer.json["code"] == "not_found"


def test_a_foreign_host_name_is_refused(page: FlaskClient) -> None:
    assert page.get("/", headers={"Host": "rebound.example"}).status_code == 403


def test_the_page_speaks_the_same_keys_in_every_language_and_the_reports_words(root: pathlib.Path) -> None:
    page, report = (
        {name: json.loads((root / folder / f"{name}.json").read_text("utf-8")) for name in ("en", "ja", "zh")}
        for folder in ("dashboard/i18n", "runner/templates/report")
    )
    shared = {
        "score": "summary.score",
        "coverage": "summary.coverage",
        "degraded": "label.degraded",
        "license": "paper.license",
        **{f"stage_{name}": f"stage.{name}" for name in ("rubric", "rollout", "reproduce", "judge")},
    }
    for language, words in page.items():
        assert list(words) == list(page["en"])
        for ours, theirs in shared.items():
            assert words[ours] == report[language][theirs], (language, ours)


def test_every_script_and_catalogue_that_the_page_names_is_there(page: FlaskClient, root: pathlib.Path) -> None:
    for path in sorted((root / "dashboard").rglob("*")):
        if path.is_file() and path.name != "index.html":
            assert page.get(f"/{path.relative_to(root / 'dashboard').as_posix()}").status_code == 200
