"""Brings a database to the newest schema. Alembic is loaded only when there is something to do."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import sqlite3
from collections.abc import Iterator

from sqlalchemy import Connection, inspect, make_url, text

from runner import assets
from runner.adapters.sql.engine import BUSY_TIMEOUT_S, Database
from runner.domain.errors import Unavailable

_LOCK = 7_361_923
"""Any number of our own: PostgreSQL's advisory lock under which one process at a time migrates."""


def migrate(url: str) -> None:
    """Safe to call at every start, by several processes at once; a database that is up to date costs milliseconds.

    Raises Unavailable `storage_unavailable`, also for a database of a newer Reprise.
    """
    database = Database(url)
    try:
        with _one_at_a_time(url), database.writing() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            _upgrade(connection)
    finally:
        database.close()


def _upgrade(connection: Connection) -> None:
    folder = assets.path("infra/migrations")
    known = sorted(path.stem.partition("_")[0] for path in (folder / "versions").glob("[0-9]*.py"))
    present = _version(connection)
    if present == known[-1]:
        return
    if present is not None and present not in known:
        message = f"The database was made by a newer Reprise (schema {present}); this one knows schema {known[-1]}."
        raise Unavailable(message, "storage_unavailable")
    _run_alembic(connection, folder)


def _run_alembic(connection: Connection, folder: pathlib.Path) -> None:
    from alembic import command  # 0.2 s that no web process and no up-to-date start shall pay
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one_or_none()


@contextlib.contextmanager
def _one_at_a_time(url: str) -> Iterator[None]:
    """SQLite: a lock on the folder, because the switch to WAL does not wait for others. WAL mode stays in the file."""
    parts = make_url(url)
    if parts.get_backend_name() != "sqlite" or not parts.database:
        yield
        return
    path = pathlib.Path(parts.database)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        _switch_to_wal(path)
        yield
    finally:
        os.close(handle)


def _switch_to_wal(path: pathlib.Path) -> None:
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.Error as error:
        raise Unavailable(f"The database {path.name} cannot be opened: {error}.", "storage_unavailable") from error
