"""Connections to one database: SQLite in WAL mode, or PostgreSQL."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import weakref
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, exc
from sqlalchemy.engine import make_url
from sqlalchemy.pool import Pool

from runner.domain.errors import Unavailable

BUSY_TIMEOUT_S = 30
_CONNECT_TIMEOUT_S = 10
_COLLISIONS = 3
_PRAGMAS = ("foreign_keys = ON", "synchronous = FULL")
_NO_SCHEMA = ("no such table", "UndefinedTable", "does not exist")
"""How SQLite and PostgreSQL say that nobody has migrated."""
_OUR_MISTAKES = (exc.IntegrityError, exc.ProgrammingError, exc.DataError, exc.NotSupportedError)


T = TypeVar("T")


class Database:
    """Gives transactions; safe to share between threads, and to be carried over a fork."""

    def __init__(self, url: str) -> None:
        engine = connect(url)
        self._engine = engine
        self._writer = engine.execution_options(writing=True)
        self._reader = engine if engine.dialect.name == "sqlite" else _snapshots(engine)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the database throughout."""
        with _storage_errors(), self._reader.begin() as connection:
            yield connection

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is committed at the end, or rolled back by an exception, which passes through."""
        with _storage_errors(), self._writer.begin() as connection:
            yield connection

    def settle(self, work: Callable[[Connection], T]) -> T:
        """`work` in a writing transaction: it checks first, then inserts.

        PostgreSQL lets two equal ones run side by side. The second collides with a key of the first and is done again;
        then its checks see the first. Raises IntegrityError when that does not help.
        """
        for _ in range(_COLLISIONS):
            with contextlib.suppress(exc.IntegrityError), self.writing() as connection:
                return work(connection)
        with self.writing() as connection:
            return work(connection)

    def close(self) -> None:
        self._engine.dispose()


def connect(url: str) -> Engine:
    """An engine on `url`. Nothing is connected yet. Raises Unavailable `storage_unavailable`: the driver is missing."""
    dumps = functools.partial(json.dumps, separators=(",", ":"), allow_nan=False)
    try:
        engine = create_engine(url, json_serializer=dumps, pool_pre_ping=True, **_options(url))
    except ModuleNotFoundError as error:
        message = f"This database needs the Python package {error.name}: pip install 'psycopg[binary]'."
        raise Unavailable(message, "storage_unavailable") from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    _leave_connections_to_parent(engine)
    return engine


def _options(url: str) -> dict[str, Any]:
    if make_url(url).get_backend_name() != "sqlite":
        return {"pool_size": 5, "max_overflow": 10, "connect_args": {"connect_timeout": _CONNECT_TIMEOUT_S}}
    return {"pool_size": 8, "max_overflow": 56, "connect_args": {"timeout": BUSY_TIMEOUT_S}}


def _configure_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # the driver's own BEGIN comes too late and is never IMMEDIATE
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes the write lock at once: waiting for it in the middle of a transaction would fail, not wait."""
    writing = connection.get_execution_options().get("writing", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _snapshots(engine: Engine) -> Engine:
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


_inherited: list[Pool] = []


def _leave_connections_to_parent(engine: Engine) -> None:
    """After a fork the child opens connections of its own. The parent's are neither used nor closed by it, because
    closing would end the parent's session on the server, and SQLite forbids it (https://www.sqlite.org/howtocorrupt.html).
    """
    known = weakref.ref(engine)

    def forget() -> None:
        if (engine := known()) is not None:
            _inherited.append(engine.pool)
            engine.dispose(close=False)

    os.register_at_fork(after_in_child=forget)


@contextlib.contextmanager
def _storage_errors() -> Iterator[None]:
    try:
        yield
    except (exc.DBAPIError, exc.TimeoutError) as error:
        if any(sign in str(error.__cause__) for sign in _NO_SCHEMA):
            message = "The database has no schema of this version yet: run reprise migrate."
            raise Unavailable(message, "storage_unavailable") from error
        if isinstance(error, _OUR_MISTAKES):
            raise
        raise Unavailable("The database does not answer.", "storage_unavailable") from error
