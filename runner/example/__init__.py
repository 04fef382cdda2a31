"""The example that `reprise demo` reproduces: a paper of our own, its rubric, its submission (see README.md here)."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any

metadata: MappingProxyType[str, Any] = MappingProxyType(
    {
        "paper_id": "reprise-example",
        "title": "An Arrow of Time for Caches: SIEVE, LRU and the Direction of Popularity Drift",
        "authors": ["The Reprise Project"],
        "venue": "Example paper of the Reprise distribution",
        "year": 2026,
        "license": "CC BY 4.0",
    }
)
"""What an import of the paper says about it; keys as in `POST /papers/import`."""

_SKIPPED = ("__pycache__", "out", "measurements.json")
"""What running the submission in place leaves behind: never part of it."""


def paper_pdf() -> Traversable:
    """The paper, two pages."""
    return resources.files(__name__) / "paper.pdf"


def rubric() -> dict[str, Any]:
    """The rubric tree, as `PUT /papers/{paper_id}/rubric` takes it."""
    tree: dict[str, Any] = json.loads((resources.files(__name__) / "rubric.json").read_text("utf-8"))
    return tree


def submission_files() -> dict[str, bytes]:
    """The files of the submission by path relative to its root, in path order."""
    return dict(sorted(_files(resources.files(__name__) / "submission", "")))


def submission_archive() -> bytes:
    """The submission as tar.gz; the same bytes each time."""
    packed, tarred = io.BytesIO(), io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, content in submission_files().items():
            member = tarfile.TarInfo(path)
            member.size, member.mode = len(content), 0o755 if path.endswith(".sh") else 0o644
            archive.addfile(member, io.BytesIO(content))
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as compressed:
        compressed.write(tarred.getvalue())
    return packed.getvalue()


def _files(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found = []
    for item in folder.iterdir():
        if item.name in _SKIPPED:
            continue
        path = prefix + item.name
        found += _files(item, path + "/") if item.is_dir() else [(path, item.read_bytes())]
    return found
