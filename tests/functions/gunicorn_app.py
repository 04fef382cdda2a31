"""Serves the app on memory ports, bytes in a folder, from one gthread worker: `gunicorn_app.py FOLDER SOCKET_FD`."""

from __future__ import annotations

import pathlib
import sys
from dataclasses import replace
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication

from functions._serving import Worker
from functions.app import create_app
from runner.adapters.memory.ports import SECRET, memory_ports
from runner.adapters.objects_fs import FolderObjects
from runner.settings import Settings


def made(folder: pathlib.Path) -> Flask:
    ports = memory_ports(folder / "scratch")
    objects = FolderObjects(folder / "objects", SECRET, "http://127.0.0.1:8321", ports.clock.now)
    site = Settings(secret_key=SECRET.decode(), data_dir=folder, max_upload_mb=64)
    return create_app(site, replace(ports, objects=objects))


class Served(BaseApplication):  # type: ignore[misc]
    def __init__(self, app: Flask, options: dict[str, Any]) -> None:
        self._app = app
        self._options = options
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        return self._app


if __name__ == "__main__":
    options = {
        "bind": f"fd://{sys.argv[2]}",
        "worker_class": Worker,
        "threads": 4,
        "pidfile": str(pathlib.Path(sys.argv[1]) / "gunicorn.pid"),
        "control_socket_disable": True,
    }
    Served(made(pathlib.Path(sys.argv[1])), options).run()
