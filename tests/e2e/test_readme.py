"""The README's script runs as it is written."""

from __future__ import annotations

import pathlib
import re
import subprocess
from typing import Any


def test_the_main_path_of_the_readme_ends_with_a_report(
    server: Any, root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    readme = (root / "README.md").read_text()
    block = re.search(r"<!-- main path -->\n```bash\n(.*?)```", readme, re.DOTALL)
    assert block
    script = block[1].replace("http://127.0.0.1:8321", server.base)
    assert script != block[1]
    (tmp_path / "runner").symlink_to(root / "runner")
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr + done.stdout[-3000:]
    assert "event: done" in done.stdout
    assert "\ncompleted\n" in done.stdout
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
