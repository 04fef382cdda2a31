"""Alembic's entry: runs the revisions on the connection that `runner.adapters.sql.migrate` hands over."""

from __future__ import annotations

from alembic import context

from runner.adapters.sql.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
