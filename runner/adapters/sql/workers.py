"""Who is alive, and who leads, in SQL."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from runner.adapters.sql import schema
from runner.adapters.sql.engine import Database

_WORKERS = schema.workers.c
_LEASES = schema.leases.c
FORGOTTEN_AFTER = timedelta(days=1)


class SqlWorkers:
    def __init__(self, database: Database) -> None:
        self._database = database

    def beat(self, worker_id: str, now: datetime) -> None:
        """Also forgets the workers that have been silent for a day: names are made anew at every start."""

        def work(connection: Connection) -> None:
            statement = update(schema.workers).where(_WORKERS.worker_id == worker_id).values(beat_at=now)
            if connection.execute(statement).rowcount == 0:
                connection.execute(insert(schema.workers).values(worker_id=worker_id, beat_at=now))
                connection.execute(delete(schema.workers).where(_WORKERS.beat_at < now - FORGOTTEN_AFTER))

        self._database.settle(work)

    def alive(self, since: datetime) -> int:
        with self._database.reading() as connection:
            statement = select(func.count()).select_from(schema.workers).where(_WORKERS.beat_at >= since)
            return connection.scalar(statement) or 0

    def take_lease(self, name: str, holder: str, now: datetime, until: datetime) -> bool:
        def work(connection: Connection) -> bool:
            row = connection.execute(select(schema.leases).where(_LEASES.name == name)).one_or_none()
            if row is None:
                connection.execute(insert(schema.leases).values(name=name, holder=holder, until=until))
                return True
            free = or_(_LEASES.holder == holder, _LEASES.until <= now)
            statement = update(schema.leases).where(_LEASES.name == name, free).values(holder=holder, until=until)
            return connection.execute(statement).rowcount == 1

        return self._database.settle(work)
