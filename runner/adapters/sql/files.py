"""Stored files in rows: `<name>_key`, `<name>_sha256`, `<name>_size_bytes`, all null when there is none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, RowMapping, select

from runner.adapters.sql import schema
from runner.domain.papers import StoredFile

_KEY_COLUMNS = (
    schema.papers.c.pdf_key,
    schema.papers.c.ad_pdf_key,
    schema.papers.c.ae_pdf_key,
    schema.submissions.c.file_key,
    schema.uploads.c.file_key,
    schema.evidence.c.key,
)
"""Every place that refers to the object store."""


def columns(name: str, file: StoredFile | None) -> dict[str, Any]:
    return {
        f"{name}_key": file.key if file else None,
        f"{name}_sha256": file.sha256 if file else None,
        f"{name}_size_bytes": file.size_bytes if file else None,
    }


def of_row(row: RowMapping, name: str) -> StoredFile:
    return StoredFile(row[f"{name}_key"], row[f"{name}_sha256"], row[f"{name}_size_bytes"])


def if_any(row: RowMapping, name: str) -> StoredFile | None:
    return None if row[f"{name}_key"] is None else of_row(row, name)


def without_owner(connection: Connection, files: Iterable[StoredFile]) -> tuple[StoredFile, ...]:
    """Those that no row refers to, each once."""
    by_key = {file.key: file for file in files}
    for column in _KEY_COLUMNS:
        for key in connection.scalars(select(column).where(column.in_(list(by_key)))):
            by_key.pop(key, None)
    return tuple(by_key.values())
