"""The run log in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import select

from runner.adapters.sql import log_rows, schema
from runner.adapters.sql.engine import Database
from runner.domain.run import Attempt, Level, LogLine, LogStage
from runner.domain.run_life import Said, attempt_lost

_LINES = schema.log_lines.c
_COLUMNS = (_LINES.seq, _LINES.ts, _LINES.level, _LINES.stage, _LINES.msg, _LINES.done)


class SqlRunLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    def append(
        self, run_id: str, lines: Sequence[tuple[datetime, Level, LogStage, str]], attempt: Attempt | None = None
    ) -> int:
        with self._database.writing() as connection:
            last = log_rows.append(connection, run_id, [Said(*line) for line in lines])
            if attempt is not None and not log_rows.is_running(connection, attempt):
                raise attempt_lost()
            return last

    def read(self, run_id: str, after: int, limit: int) -> tuple[LogLine, ...]:
        statement = select(*_COLUMNS).where(_LINES.run_id == run_id, _LINES.seq > after)
        with self._database.reading() as connection:
            rows = connection.execute(statement.order_by(_LINES.seq).limit(limit))
            return tuple(LogLine(*row) for row in rows)

    def lengths(self, run_ids: Sequence[str]) -> Mapping[str, int]:
        runs = schema.runs.c
        with self._database.reading() as connection:
            rows = connection.execute(select(runs.run_id, runs.log_length).where(runs.run_id.in_(run_ids)))
            return {row.run_id: row.log_length for row in rows}

    def tail(self, run_id: str, count: int) -> tuple[LogLine, ...]:
        statement = select(*_COLUMNS).where(_LINES.run_id == run_id).order_by(_LINES.seq.desc()).limit(count)
        with self._database.reading() as connection:
            rows = connection.execute(statement).all()
        return tuple(LogLine(*row) for row in reversed(rows))
