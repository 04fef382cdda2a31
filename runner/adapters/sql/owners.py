"""The paper that rubrics and submissions belong to, held while one is added."""

from __future__ import annotations

from sqlalchemy import Connection, select

from runner.adapters.sql import schema
from runner.domain.errors import NotFound


def hold(connection: Connection, repository_id: str) -> None:
    """Keeps the paper from being deleted and its versions from being counted twice, until the transaction ends.

    Raises NotFound `paper_not_found` when no paper has this repository any more.
    """
    papers = schema.papers.c
    statement = select(papers.paper_id).where(papers.repository_id == repository_id).with_for_update()
    if connection.scalar(statement) is None:
        raise NotFound("The paper was deleted meanwhile.", "paper_not_found")
