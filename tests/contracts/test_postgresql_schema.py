"""The PostgreSQL schema: how it comes about, and what it refuses by itself."""

from __future__ import annotations

import signal
import subprocess
import sys

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError

from runner.adapters.sql.engine import Database
from runner.adapters.sql.migrate import migrate
from runner.adapters.sql.schema import metadata
from runner.domain.errors import Unavailable
from runner.domain.run import Ending

MIGRATE = "import sys; from runner.adapters.sql.migrate import migrate; migrate(sys.argv[1])"
DEFINITIONS = {
    "columns": "SELECT table_name, column_name, data_type, collation_name, is_nullable, ordinal_position, column_default"
    " FROM information_schema.columns WHERE table_schema = 'public'",
    "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
    " WHERE connamespace = 'public'::regnamespace",
}


@pytest.fixture
def empty_url(postgresql):
    name = postgresql.create()
    yield postgresql.url(name)
    postgresql.drop(name)


def rows(url, statement):
    """Carries out one statement as somebody with `psql` would."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def definitions(url):
    """Columns, indexes and constraints, as the server tells them."""
    return {
        kind: sorted(str(row) for row in rows(url, statement) if "alembic_version" not in str(row))
        for kind, statement in DEFINITIONS.items()
    }


class TestMigration:
    def test_migrations_make_what_the_tables_say(self, postgresql_url, empty_url):
        engine = create_engine(empty_url)
        metadata.create_all(engine)
        engine.dispose()
        assert definitions(postgresql_url) == definitions(empty_url)
        assert len(definitions(empty_url)["columns"]) > 100

    def test_alembic_finds_nothing_to_add(self, postgresql_url):
        engine = create_engine(postgresql_url)
        with engine.connect() as connection:
            found = compare_metadata(MigrationContext.configure(connection), metadata)
        engine.dispose()
        assert found == []

    def test_a_second_time_changes_nothing(self, postgresql_url):
        before = definitions(postgresql_url)
        migrate(postgresql_url)
        assert definitions(postgresql_url) == before

    def test_several_processes_may_migrate_at_once(self, empty_url):
        started = [subprocess.Popen([sys.executable, "-W", "error", "-c", MIGRATE, empty_url]) for _ in range(4)]
        assert [process.wait() for process in started] == [0] * 4
        assert rows(empty_url, "SELECT count(*) FROM alembic_version") == [(1,)]

    def test_a_database_of_a_newer_reprise_is_refused_and_left_alone(self, postgresql_url):
        rows(postgresql_url, "UPDATE alembic_version SET version_num = '9999'")
        with pytest.raises(Unavailable, match="newer Reprise"):
            migrate(postgresql_url)
        assert rows(postgresql_url, "SELECT version_num FROM alembic_version") == [("9999",)]


class TestConnections:
    def test_a_reader_sees_one_state_while_others_write(self, postgresql_site, samples):
        with postgresql_site.database.reading() as connection:
            count = text("SELECT count(*) FROM papers")
            before = connection.scalar(count)
            postgresql_site.papers.add(samples.paper(), samples.audit())
            assert connection.scalar(count) == before

    def test_references_are_kept(self, postgresql_site, samples):
        run = samples.launched(postgresql_site)
        with pytest.raises(IntegrityError), postgresql_site.database.writing() as connection:
            connection.execute(text("DELETE FROM rubrics WHERE rubric_id = :id"), {"id": run.rubric_id})

    def test_a_server_that_is_not_there_is_unavailable_and_its_password_is_not_told(self):
        database = Database("postgresql+psycopg://me:hunter2@127.0.0.1:1/absent")
        with pytest.raises(Unavailable) as refused, database.reading():
            pass
        assert (refused.value.code, refused.value.retryable) == ("storage_unavailable", True)
        assert "hunter2" not in refused.value.message
        database.close()

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
    def test_a_restarted_server_is_found_again(self, postgresql, postgresql_site, samples, how):
        paper = postgresql_site.papers.add(samples.paper(), samples.audit())
        postgresql.stop(how)
        try:
            with pytest.raises(Unavailable) as refused:
                postgresql_site.papers.get(paper.paper_id)
            assert (refused.value.code, refused.value.retryable) == ("storage_unavailable", True)
        finally:
            postgresql.start()
        assert postgresql_site.papers.get(paper.paper_id) == paper


class TestRefusals:
    @pytest.fixture
    def url(self, postgresql_site, postgresql_url, samples):
        run = samples.launched(postgresql_site)
        postgresql_site.runs.claim(run.run_id, "reproduce", 1, "wk_1", samples.now)
        made = (samples.assessment(run),)
        ending = Ending("succeeded", {}, run_status="completed", results={}, assessments=made)
        postgresql_site.runs.finish(run.run_id, "reproduce", 1, "wk_1", ending, samples.now)
        return postgresql_url

    @pytest.mark.parametrize("table", ["assessments", "audit"])
    @pytest.mark.parametrize(
        "statement",
        [
            "UPDATE {} SET created_at = 0",
            "DELETE FROM {}",
            "TRUNCATE {}",
            "TRUNCATE {}, runs CASCADE",
            "INSERT INTO {0} SELECT * FROM {0} ON CONFLICT ON CONSTRAINT pk_{0} DO UPDATE SET created_at = 0",
            "WITH gone AS (DELETE FROM {} RETURNING 1) SELECT * FROM gone",
        ],
    )
    def test_assessments_and_audit_are_never_changed_or_removed(self, url, table, statement):
        before = rows(url, f"SELECT * FROM {table}")
        column = "created_at" if table == "assessments" else "at"
        with pytest.raises(psycopg.errors.RaiseException, match="never changed"):
            rows(url, statement.format(table).replace("created_at", column))
        assert rows(url, f"SELECT * FROM {table}") == before != []

    def test_a_table_that_others_refer_to_cannot_be_emptied_over_assessments(self, url):
        with pytest.raises(psycopg.errors.RaiseException, match="never changed"):
            rows(url, "TRUNCATE runs CASCADE")

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
    def test_states_are_words_of_the_contract(self, url, statement):
        with pytest.raises(psycopg.errors.CheckViolation):
            rows(url, statement)
