"""A started `reprise up` for benchmarks: the server and client of the end-to-end tests, in a folder of its own."""

from __future__ import annotations

import contextlib
import pathlib
import tempfile
from collections.abc import Iterator

from tests.e2e.conftest import Server


@contextlib.contextmanager
def served(**settings: str) -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(pathlib.Path(folder) / "data", **settings)
        server.start()
        try:
            yield server
        finally:
            server.http.close()
            server.stop()
