"""A real `reprise up` on a folder of its own, and a client for the main path."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import psutil
import pytest

FINAL = ("completed", "failed", "cancelled")


def archive(files: dict[str, str]) -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text.encode()), 0o644
            tar.addfile(info, io.BytesIO(text.encode()))
    return raw.getvalue()


def makes(path: str) -> dict[str, Any]:
    """A rubric of one criterion: the run makes this file."""
    leaf = {
        "id": "leaf",
        "requirements": f"The run makes {path}.",
        "weight": 1,
        "sub_tasks": [],
        "task_category": "Code Execution",
        "check": {"kind": "artifact", "path": path},
    }
    return {"id": "root", "requirements": "The paper is reproduced.", "weight": 1, "sub_tasks": [leaf]}


class Server:
    """`reprise up` as a child process, and the calls of the main path."""

    def __init__(self, folder: pathlib.Path, **settings: str) -> None:
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        clean = {k: v for k, v in os.environ.items() if not k.startswith("REPRISE_")}
        self.environment = {**clean, "REPRISE_ALLOW_LOCAL_SANDBOX": "1", **settings}
        self.http = httpx.Client(base_url=f"{self.base}/api/paperbench", timeout=30)
        self.process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "runner.cli", "up", "--port", str(self.port), "--data-dir", str(self.folder)]
        with open(self.folder.parent / f"{self.folder.name}.err", "a") as errors:
            self.process = subprocess.Popen(
                command, env=self.environment, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line == f"ready {self.base}\n", (line, self.errors()[-2000:])

    def errors(self) -> str:
        return (self.folder.parent / f"{self.folder.name}.err").read_text()

    def stop(self) -> float:
        """SIGTERM; returns the seconds until the process was gone."""
        assert self.process is not None
        family = self.family()
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(15)
        assert self.process.stdout is not None
        self.process.stdout.close()
        took = time.monotonic() - began
        _, alive = psutil.wait_procs(family, timeout=2)
        assert not alive, alive
        return took

    def family(self) -> list[psutil.Process]:
        assert self.process is not None
        return psutil.Process(self.process.pid).children(recursive=True)

    def children_running(self, word: str) -> list[psutil.Process]:
        """Processes of this server whose command line ends with `word` (`worker`, `conductor`)."""
        found = []
        for process in self.family():
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.cmdline()[-1:] == [word]:
                    found.append(process)
        return found

    def ready_paper(self, script: str, makes_file: str = "out.csv", **files: str) -> str:
        """A paper with a submission and a rubric that asks for one file."""
        return self.paper(makes(makes_file), {"reproduce.sh": script, **files})

    def paper(self, rubric_tree: dict[str, Any], files: dict[str, str]) -> str:
        paper_id = f"p-{time.monotonic_ns()}"
        body = {"source_type": "local", "source": "synthetic", "title": "Synthetic", "paper_id": paper_id}
        assert self.http.post("/papers/import", json=body).status_code == 201
        assert self.http.put(f"/papers/{paper_id}/rubric", json=rubric_tree).status_code == 201
        sent = self.http.post(f"/papers/{paper_id}/submission", files={"file": ("s.tar.gz", archive(files))})
        assert sent.status_code == 201, sent.text
        return paper_id

    def launch(self, paper_id: str, **reproduce: Any) -> str:
        config = {"sandbox_kind": "bubblewrap", "time_limit_sec": 120, **reproduce}
        answer = self.http.post("/run", json={"paper_ids": [paper_id], "reproduce_config": config})
        assert answer.status_code == 202, answer.text
        return str(answer.json()["job_ids"][0])

    def status(self, job: str) -> dict[str, Any]:
        answer = self.http.get(f"/run/{job}")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def wait(
        self, job: str, until: Callable[[dict[str, Any]], bool] | None = None, limit_s: float = 60
    ) -> dict[str, Any]:
        end = time.monotonic() + limit_s
        while True:
            status = self.status(job)
            if until(status) if until else status["status"] in FINAL:
                return status
            assert time.monotonic() < end, (status, self.errors()[-3000:])
            time.sleep(0.1)

    def wait_for_line(self, job: str, text: str, limit_s: float = 30) -> None:
        self.wait(job, lambda status: text in self.http.get(f"/run/{job}/logs.txt").text, limit_s)

    def results(self, job: str) -> dict[str, Any]:
        answer = self.http.get(f"/run/{job}/results")
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def messages(self, job: str) -> list[str]:
        return [json.loads(event["data"])["msg"] for event in self.events(job) if event["event"] == "log"]

    def events(self, job: str, **headers: str) -> list[dict[str, str]]:
        """Every event of the stream, to its end."""
        found: list[dict[str, str]] = []
        with self.http.stream("GET", f"/run/{job}/logs", headers=headers) as stream:
            event: dict[str, str] = {}
            for line in stream.iter_lines():
                name, _, value = line.partition(": ")
                if line and name:
                    event[name] = value
                elif event:
                    found.append(event)
                    event = {}
        return found


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server that many tests share."""
    yield from _serve(tmp_path_factory.mktemp("shared") / "data")


@pytest.fixture
def own_server(tmp_path: pathlib.Path) -> Iterator[Server]:
    """A server whose processes a test may kill."""
    yield from _serve(tmp_path / "data")


def _serve(folder: pathlib.Path) -> Iterator[Server]:
    server = Server(folder)
    server.start()
    yield server
    server.http.close()
    if server.process and server.process.poll() is None:
        server.stop()
