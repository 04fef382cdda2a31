"""Runs in SQL."""

from __future__ import annotations

from runner.adapters.sql.runs_launch import Launching
from runner.adapters.sql.runs_life import Living
from runner.adapters.sql.runs_read import Reading


class SqlRuns(Launching, Living, Reading):
    """The port `Runs`: launching, living, reading, one file each."""
