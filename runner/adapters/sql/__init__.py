"""State in SQL: SQLite in WAL mode by default, PostgreSQL by URL. SQLAlchemy Core only, which imports fast."""
