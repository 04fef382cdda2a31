"""The SQLite schema: how it comes about, and what it refuses by itself."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import subprocess
import sys
from urllib.parse import quote

import pytest
from sqlalchemy import create_engine, text

from runner.adapters.sql.engine import Database
from runner.adapters.sql.migrate import migrate
from runner.adapters.sql.runlog import SqlRunLog
from runner.adapters.sql.schema import metadata
from runner.domain.errors import Unavailable
from runner.domain.run import Ending

MIGRATE = "import sys; from runner.adapters.sql.migrate import migrate; migrate(sys.argv[1])"
LIGHT = """
import sys
from runner.adapters.sql import engine, keys, migrate, papers, rubrics, runlog, runs, submissions, uploads, workers
migrate.migrate(sys.argv[1])
print(sorted(name for name in sys.modules if name.partition(".")[0] in ("alembic", "mako") or name == "sqlalchemy.orm"))
"""


def definitions(path):
    """Tables and indexes by name, each as its sorted parts: the order of constraints says nothing."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql NOT NULL"
        )
        return {
            name: sorted(re.split(r", (?=CONSTRAINT)|(?= \))", " ".join(sql.split())))
            for name, sql in rows
            if name != "alembic_version"
        }


def sql(path, statement):
    """Carries out one statement as somebody with the plain file would."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement).fetchall()


class TestMigration:
    def test_an_empty_folder_gets_the_newest_schema_and_a_second_time_changes_nothing(self, tmp_path):
        path = tmp_path / "new" / "folder" / "db.sqlite3"
        migrate(f"sqlite:///{path}")
        before = definitions(path)
        migrate(f"sqlite:///{path}")
        assert definitions(path) == before

    def test_migrations_make_what_the_tables_say(self, tmp_path, migrated):
        engine = create_engine(f"sqlite:///{tmp_path}/declared.sqlite3")
        metadata.create_all(engine)
        engine.dispose()
        assert definitions(migrated) == definitions(tmp_path / "declared.sqlite3")

    def test_several_processes_may_migrate_at_once(self, tmp_path):
        url = f"sqlite:///{tmp_path}/db.sqlite3"
        started = [subprocess.Popen([sys.executable, "-W", "error", "-c", MIGRATE, url]) for _ in range(4)]
        assert [process.wait() for process in started] == [0] * 4
        assert len(sql(tmp_path / "db.sqlite3", "SELECT * FROM alembic_version")) == 1

    def test_the_folder_may_have_any_name(self, tmp_path):
        path = tmp_path / "再 %41?#" / "db.sqlite3"
        migrate(f"sqlite:///{quote(str(path))}")
        assert path.exists()

    def test_a_database_of_a_newer_reprise_is_refused_and_left_alone(self, tmp_path):
        path = tmp_path / "db.sqlite3"
        migrate(f"sqlite:///{path}")
        sql(path, "UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(Unavailable, match="newer Reprise"):
            migrate(f"sqlite:///{path}")
        assert sql(path, "SELECT version_num FROM alembic_version") == [("9999",)]

    def test_a_file_that_is_no_database_is_refused_without_its_path(self, tmp_path):
        path = tmp_path / "db.sqlite3"
        path.write_text("this is a text file, and a rather long one, so that SQLite reads its header " * 100)
        with pytest.raises(Unavailable) as refused:
            migrate(f"sqlite:///{path}")
        assert refused.value.code == "storage_unavailable"
        assert str(tmp_path) not in refused.value.message

    def test_ports_and_an_up_to_date_start_load_neither_alembic_nor_the_orm(self, sqlite_url):
        told = subprocess.run([sys.executable, "-c", LIGHT, sqlite_url], capture_output=True, text=True, check=True)
        assert told.stdout.strip() == "[]"


class TestConnections:
    def test_writes_are_durable_and_references_are_kept(self, sqlite_site):
        with sqlite_site.database.writing() as connection:
            pragmas = [
                connection.scalar(text(f"PRAGMA {name}"))
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            ]
        assert pragmas == ["wal", 2, 1, 30_000]

    def test_a_reader_sees_one_state_while_others_write(self, sqlite_site, samples):
        with sqlite_site.database.reading() as connection:
            count = text("SELECT count(*) FROM papers")
            before = connection.scalar(count)
            sqlite_site.papers.add(samples.paper(), samples.audit())
            assert connection.scalar(count) == before

    def test_a_database_that_cannot_be_opened_is_unavailable(self, tmp_path):
        database = Database(f"sqlite:///{tmp_path}/absent/db.sqlite3")
        with pytest.raises(Unavailable) as refused, database.reading():
            pass
        assert (refused.value.code, refused.value.retryable) == ("storage_unavailable", True)


class TestRefusals:
    @pytest.fixture
    def path(self, sqlite_site, samples, tmp_path):
        run = samples.launched(sqlite_site)
        sqlite_site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.now)
        made = (samples.assessment(run),)
        ending = Ending("succeeded", {}, run_status="completed", results={}, assessments=made)
        sqlite_site.runs.finish(run.run_id, "reproduce", 1, "wk_1", ending, samples.now)
        return tmp_path / "reprise.sqlite3"

    @pytest.mark.parametrize("table", ["assessments", "audit"])
    @pytest.mark.parametrize(
        "statement",
        [
            "DELETE FROM {}",
            "INSERT OR REPLACE INTO {0} SELECT * FROM {0}",
            "REPLACE INTO {0} SELECT * FROM {0}",
            "INSERT OR IGNORE INTO {0} SELECT * FROM {0}",
        ],
    )
    def test_assessments_and_audit_are_never_removed_or_replaced(self, path, table, statement):
        before = sql(path, f"SELECT * FROM {table}")
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            sql(path, statement.format(table))
        assert sql(path, f"SELECT * FROM {table}") == before != []

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE assessments SET conclusion = 'contradicts'",
            "UPDATE assessments SET conclusion = conclusion",
            "UPDATE OR REPLACE assessments SET assessment_id = 'x'",
            "UPDATE audit SET actor = 'mallory'",
        ],
    )
    def test_assessments_and_audit_are_never_changed(self, path, statement):
        with pytest.raises(sqlite3.IntegrityError, match="never changed"):
            sql(path, statement)

    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE runs SET status = 'done'",
            "UPDATE runs SET execution_state = 'cancelled'",
            "UPDATE attempts SET state = 'queued'",
            "UPDATE attempts SET stage = 'report'",
            "UPDATE papers SET visibility = 'secret'",
            "UPDATE log_lines SET level = 'fatal'",
        ],
    )
    def test_states_are_words_of_the_contract(self, path, statement):
        with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
            sql(path, statement)


def test_a_database_without_schema_says_what_to_do(tmp_path):
    log = SqlRunLog(Database(f"sqlite:///{tmp_path}/empty.sqlite3"))
    with pytest.raises(Unavailable, match="reprise migrate"):
        log.tail("run_x", 1)
