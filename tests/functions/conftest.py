"""The app on memory ports, and a caller that says what it means."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from functions.app import create_app
from runner.adapters.memory.ports import SECRET, memory_ports
from runner.ports import Ports
from runner.settings import Settings

API = "/api/paperbench"
HOST = "127.0.0.1:8321"


class Caller:
    """Calls the app as `client` on the same machine would; paths are relative to /api/paperbench."""

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.http = app.test_client()

    def send(self, method: str, path: str, headers: dict[str, str] | None = None, **more: Any) -> TestResponse:
        address = path if path.startswith(("/objects", "/healthz", "/readyz", "http")) else API + path
        return self.http.open(address, method=method, headers={"Host": HOST} | (headers or {}), **more)

    def get(self, path: str, headers: dict[str, str] | None = None, **query: Any) -> TestResponse:
        return self.send("GET", path, headers, query_string=query or None)

    def post(self, path: str, body: Any = None, headers: dict[str, str] | None = None) -> TestResponse:
        return self.send("POST", path, headers, **({} if body is None else {"json": body}))

    def put(self, path: str, body: Any, headers: dict[str, str] | None = None) -> TestResponse:
        return self.send("PUT", path, headers, json=body)

    def form(self, path: str, data: bytes, name: str = "paper.pdf", field: str = "file") -> TestResponse:
        head = f'--XbX\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'.encode()
        body = head + data + b"\r\n--XbX--\r\n"
        return self.send("POST", path, data=body, content_type="multipart/form-data; boundary=XbX")

    def upload(self, data: bytes, name: str = "paper.pdf") -> dict[str, Any]:
        answer = self.form("/upload", data, name)
        assert answer.status_code == 201, answer.text
        return dict(answer.get_json())

    def paper(self, paper_id: str = "p", **more: Any) -> dict[str, Any]:
        body = {"source_type": "local", "source": "s", "title": "A paper", "paper_id": paper_id} | more
        answer = self.post("/papers/import", body)
        assert answer.status_code == 201, answer.text
        return dict(answer.get_json())


def refused(answer: TestResponse, status: int, code: str | None = None) -> dict[str, Any]:
    """The body of a refusal, which must look like one."""
    assert answer.status_code == status, (answer.status_code, answer.text)
    body = json.loads(answer.data)
    assert isinstance(body["error"], str)
    assert isinstance(body["retryable"], bool)
    assert code is None or body["code"] == code, body
    return dict(body)


@pytest.fixture(name="refused")
def refused_fixture() -> Callable[..., dict[str, Any]]:
    return refused


@pytest.fixture
def ports(tmp_path: pathlib.Path) -> Ports:
    return memory_ports(tmp_path / "scratch")


@pytest.fixture
def build(ports: Ports, tmp_path: pathlib.Path) -> Callable[..., Caller]:
    """Makes a caller of an app with other settings."""

    def made(**given: Any) -> Caller:
        site = Settings(**{"secret_key": SECRET.decode(), "data_dir": tmp_path / "data"} | given)
        return Caller(create_app(site, ports))

    return made


@pytest.fixture
def api(build: Callable[..., Caller]) -> Caller:
    return build()
