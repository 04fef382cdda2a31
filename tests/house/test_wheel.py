"""The wheel holds what `runner.assets` and the packages look for at run time."""

from __future__ import annotations

import pathlib
import subprocess
import sys
import zipfile

NEEDED = (
    "runner/_assets/dashboard/index.html",
    "runner/_assets/dashboard/i18n/ja.json",
    "runner/_assets/infra/gunicorn.web.py",
    "runner/_assets/infra/gunicorn.sse.py",
    "runner/_assets/infra/migrations/env.py",
    "runner/example/paper.pdf",
    "runner/example/rubric.json",
    "runner/example/submission/reproduce.sh",
    "functions/runs/status.py",
)


def test_a_wheel_carries_pages_migrations_server_files_and_the_example(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(tmp_path)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(root)], check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    assert [name for name in NEEDED if name not in names] == []
    assert not [name for name in names if name.startswith(("tests/", "infra/", "dashboard/")) or "__pycache__" in name]
