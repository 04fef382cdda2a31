"""Log lines as rows. Their numbers come from a counter on the run, in the transaction that stores them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, insert, select, update

from runner.adapters.sql import schema
from runner.domain.errors import NotFound
from runner.domain.run import Attempt
from runner.domain.run_life import Said


def append(connection: Connection, run_id: str, lines: Sequence[Said]) -> int:
    """The number of the last line there is then, -1 for none. Raises NotFound `run_not_found`.

    Holding the run's row until the end of the transaction keeps numbers without gaps and in the order of commits.
    """
    runs = schema.runs.c
    counted = update(schema.runs).where(runs.run_id == run_id).values(log_length=runs.log_length + len(lines))
    length = connection.scalar(counted.returning(runs.log_length))
    if length is None:
        raise NotFound("There is no such run.", "run_not_found")
    if lines:
        rows = [_row(run_id, seq, line) for seq, line in enumerate(lines, length - len(lines))]
        connection.execute(insert(schema.log_lines), rows)
    return int(length) - 1


def is_running(connection: Connection, attempt: Attempt) -> bool:
    """Whether the attempt still runs under the worker that claimed it."""
    row = schema.attempts.c
    this = (row.run_id == attempt.run_id) & (row.stage == attempt.stage) & (row.number == attempt.number)
    held = (row.state == "running") & (row.worker_id == attempt.worker_id)
    return connection.scalar(select(row.number).where(this, held)) is not None


def _row(run_id: str, seq: int, line: Said) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "seq": seq,
        "ts": line.ts,
        "level": line.level,
        "stage": line.stage,
        "msg": line.msg,
        "done": line.done,
    }
