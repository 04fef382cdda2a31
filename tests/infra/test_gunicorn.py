"""The gunicorn files serve a small application here; what they promise is the same for the real one."""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import runpy
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

TOY = """
import os
from flask import Flask, Response, request
from functions import _shutdown

def create_app(only=()):
    app = Flask("toy")
    app.config["PROPAGATE_EXCEPTIONS"] = True

    @app.get("/stream")
    def stream():
        def frames():
            yield ": ok\\n\\n"
            while not _shutdown.wait(15):
                yield ": still here\\n\\n"
        return Response(frames(), mimetype="text/event-stream")

    @app.get("/breaks")
    def breaks():
        raise ZeroDivisionError

    @app.post("/count")
    def count():
        return str(sum(len(part) for part in iter(lambda: request.stream.read(65536), b"")))

    @app.get("/who")
    def who():
        return {"scheme": request.scheme, "address": request.remote_addr, "root": request.script_root}

    return app
"""


def free_port(shift: int) -> int:
    """A port whose neighbour `shift` above is free too; below the range that outgoing connections take theirs from."""
    while True:
        port = random.randrange(20_000, 32_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port + shift)):
            return port


@contextlib.contextmanager
def served(
    root: pathlib.Path, folder: pathlib.Path, name: str, shift: int = 0
) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A gunicorn of `infra/<name>` with the toy application; its stderr is `folder/stderr`."""
    (folder / "toy.py").write_text(TOY)
    port = free_port(shift)
    environment = {**os.environ, "REPRISE_PORT": str(port), "REPRISE_WEB_WORKERS": "1", "HOME": str(folder)}
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "-c",
        str(root / "infra" / name),
        "--pythonpath",
        f"{folder},{root}",
        "toy:create_app()",
    ]
    with (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen(command, cwd=folder, env=environment, stderr=stderr)
    try:
        wait_for(port + shift, process)
        yield process, f"http://127.0.0.1:{port + shift}"
    finally:
        process.terminate()
        process.wait(15)


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 30
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError("gunicorn does not listen")


@pytest.mark.parametrize("name, shift", [("gunicorn.web.py", 0), ("gunicorn.sse.py", 1)])
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_open_streams_within_two_seconds(
    root: pathlib.Path, tmp_path: pathlib.Path, name: str, shift: int, how: signal.Signals
) -> None:
    with (
        served(root, tmp_path, name, shift) as (process, url),
        httpx.stream("GET", f"{url}/stream", timeout=10) as answer,
    ):
        frames = answer.iter_lines()
        assert next(frames) == ": ok"
        started = time.monotonic()
        process.send_signal(how)
        assert list(frames) == [""]
        assert time.monotonic() - started < 2
        assert process.wait(10) == 0  # gunicorn keeps a kept-alive connection up to 2 s more
        assert time.monotonic() - started < 5


def test_an_error_is_logged_without_its_query(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with served(root, tmp_path, "gunicorn.web.py") as (_, url):
        assert httpx.get(f"{url}/breaks?ticket=secret").status_code == 500
    log = (tmp_path / "stderr").read_text()
    assert "ZeroDivisionError" in log
    assert "/breaks" in log
    assert "secret" not in log


def test_headers_of_a_proxy_change_nothing(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    headers = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-For": "192.0.2.7",
        "X-Forwarded-Ssl": "off",
        "Script-Name": "/x",
        "SCRIPT_NAME": "/y",
    }
    with served(root, tmp_path, "gunicorn.web.py") as (_, url):
        assert httpx.get(f"{url}/who", headers=headers).json() == {"scheme": "http", "address": "127.0.0.1", "root": ""}


def test_a_large_body_arrives_whole_and_no_control_socket_is_made(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with served(root, tmp_path, "gunicorn.web.py") as (_, url):
        answer = httpx.post(f"{url}/count", content=(b"x" * 2**20 for _ in range(20)))
    assert answer.text == str(20 * 2**20)
    assert not list(tmp_path.rglob("*.ctl"))


def test_the_pool_holds_every_stream_and_other_requests(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REPRISE_MAX_STREAMS", "200")
    monkeypatch.setenv("REPRISE_HOST", "::1")
    monkeypatch.setenv("REPRISE_PORT", "9000")
    conf = runpy.run_path(str(root / "infra" / "gunicorn.web.py"))
    assert conf["threads"] == 232
    assert conf["worker_connections"] > conf["threads"]
    assert conf["bind"] == ["[::1]:9000"]
