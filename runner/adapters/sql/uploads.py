"""Uploads in SQL."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import insert, select

from runner.adapters.sql import files, schema
from runner.adapters.sql.engine import Database
from runner.domain.errors import NotFound
from runner.domain.ids import is_id
from runner.domain.papers import Upload


class SqlUploads:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, upload: Upload) -> None:
        row = {
            "upload_id": upload.upload_id,
            "filename": upload.filename,
            "created_at": upload.created_at,
            "expires_at": upload.expires_at,
        }
        with self._database.writing() as connection:
            connection.execute(insert(schema.uploads).values(row | files.columns("file", upload.file)))

    def get(self, upload_id: str, now: datetime) -> Upload:
        uploads = schema.uploads.c
        statement = select(schema.uploads).where(uploads.upload_id == upload_id, uploads.expires_at > now)
        with self._database.reading() as connection:
            row = connection.execute(statement).mappings().one_or_none() if is_id(upload_id, "up") else None
        if row is None:
            raise NotFound("There is no such upload, or it has expired.", "upload_not_found")
        return Upload(upload_id, row["filename"], files.of_row(row, "file"), row["created_at"], row["expires_at"])
