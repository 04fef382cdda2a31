"""The main job with its state in PostgreSQL and its files in a bucket."""

from __future__ import annotations

import hashlib
import pathlib
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import psycopg
import pytest

from tests.e2e.conftest import Server
from tests.servers.postgresql import PostgreSQL
from tests.servers.s3 import S3

BUCKET = "reprise-e2e"
SCRIPT = "#!/bin/bash\necho hello\nmkdir -p 図\necho 1 > out.csv\nhead -c 9000000 /dev/zero > '図/a b+c.bin'\n"

pytestmark = pytest.mark.slow


@pytest.fixture
def site(tmp_path: pathlib.Path, postgresql: PostgreSQL, s3: S3) -> Iterator[tuple[Server, str]]:
    """A started server, and the name of its database."""
    database = postgresql.create()
    server = Server(
        tmp_path / "data",
        REPRISE_DATABASE_URL=postgresql.url(database),
        REPRISE_OBJECT_STORE="s3",
        REPRISE_S3_ENDPOINT=s3.endpoint,
        REPRISE_S3_PUBLIC_ENDPOINT=f"http://localhost:{s3.port}",
        REPRISE_S3_SECURE="0",
        REPRISE_S3_ACCESS_KEY=s3.access_key,
        REPRISE_S3_SECRET_KEY=s3.secret_key,
        REPRISE_S3_BUCKET=BUCKET,
    )
    server.start()
    yield server, database
    server.http.close()
    server.stop()
    postgresql.drop(database)


def test_a_run_goes_from_import_to_report(site: tuple[Server, str], postgresql: PostgreSQL, s3: S3) -> None:
    server, database = site
    job = server.launch(server.ready_paper(SCRIPT))
    status = server.wait(job)
    assert (status["status"], status["degraded"]) == ("completed", False), (status, server.messages(job))
    assert server.results(job)["leaves"][0]["status"] == "met"
    assert "hello" in server.messages(job)
    check_artifacts(server, job, s3)
    check_report(server, job)
    assert not (server.folder / "objects").exists()
    assert not (server.folder / "reprise.sqlite3").exists()
    with psycopg.connect(postgresql.plain_url(database)) as connection:
        assert connection.execute("SELECT run_id, status FROM runs").fetchall() == [(job, "completed")]
    assert s3.secret_key not in server.errors()


def check_artifacts(server: Server, job: str, s3: S3) -> None:
    rows = server.http.get(f"/run/{job}/artifacts").json()["artifacts"]
    assert {"reproduce.log", "out.csv", "図/a b+c.bin"} <= {row["name"] for row in rows}
    for row in rows:
        assert urlsplit(row["url"]).netloc == f"localhost:{s3.port}"
        answer = httpx.get(row["url"])
        assert answer.status_code == 200, answer.text
        assert hashlib.sha256(answer.content).hexdigest() == row["sha256"]
        assert answer.headers["content-disposition"].startswith("attachment; ")
        assert httpx.get(row["url"].replace("attachment", "inline")).status_code == 403


def check_report(server: Server, job: str) -> None:
    end = time.monotonic() + 60
    asked: dict[str, Any] = {"languages": "en,ja", "formats": "html,md,pdf"}
    while (answer := server.http.get(f"/run/{job}/report", params=asked)).status_code == 202:
        assert time.monotonic() < end
        time.sleep(0.2)
    body = answer.json()
    assert len(body["download_urls"]) == 6
    for name, url in body["download_urls"].items():
        assert hashlib.sha256(httpx.get(url).content).hexdigest() == body["sha256"][name]
