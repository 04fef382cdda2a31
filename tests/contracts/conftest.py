"""Sites for the contract tests: the same ports in memory and in SQL, and values to put into them."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import pathlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import select

from runner.adapters.memory.keys import MemoryKeys
from runner.adapters.memory.papers import MemoryPapers
from runner.adapters.memory.rubrics import MemoryRubrics
from runner.adapters.memory.runlog import MemoryRunLog
from runner.adapters.memory.runs import MemoryRuns
from runner.adapters.memory.state import State
from runner.adapters.memory.submissions import MemorySubmissions
from runner.adapters.memory.uploads import MemoryUploads
from runner.adapters.memory.workers import MemoryWorkers
from runner.adapters.sql import schema
from runner.adapters.sql.engine import Database
from runner.adapters.sql.keys import SqlKeys
from runner.adapters.sql.migrate import migrate
from runner.adapters.sql.papers import SqlPapers
from runner.adapters.sql.rubrics import SqlRubrics
from runner.adapters.sql.runlog import SqlRunLog
from runner.adapters.sql.runs import SqlRuns
from runner.adapters.sql.submissions import SqlSubmissions
from runner.adapters.sql.uploads import SqlUploads
from runner.adapters.sql.workers import SqlWorkers
from runner.domain import ids
from runner.domain.access import AuditRow
from runner.domain.papers import Paper, RubricVersion, StoredFile, Submission, SubmissionFile
from runner.domain.run import Assessment, Diagnostic, Evidence, Run
from runner.ports import Keys, Papers, Rubrics, RunLog, Runs, Submissions, Uploads, Workers
from tests.servers.postgresql import PostgreSQL

NOW = datetime(2026, 5, 13, 5, 57, 0, 123456, tzinfo=UTC)


@dataclass
class Site:
    """Ports over one state. `audit()` gives what the trail says, oldest first."""

    papers: Papers
    uploads: Uploads
    rubrics: Rubrics
    submissions: Submissions
    runs: Runs
    log: RunLog
    keys: Keys
    workers: Workers
    audit: Callable[[], list[AuditRow]]
    database: Database | None = None


@pytest.fixture
def memory_site() -> Site:
    state = State()
    return Site(
        MemoryPapers(state),
        MemoryUploads(state),
        MemoryRubrics(state),
        MemorySubmissions(state),
        MemoryRuns(state),
        MemoryRunLog(state),
        MemoryKeys(state),
        MemoryWorkers(state),
        lambda: list(state.audit),
    )


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """An empty SQLite database of the newest schema, to be copied."""
    path = tmp_path_factory.mktemp("migrated") / "empty.sqlite3"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(tmp_path: pathlib.Path, migrated: pathlib.Path) -> str:
    path = tmp_path / "reprise.sqlite3"
    shutil.copy(migrated, path)
    return f"sqlite:///{path}"


@pytest.fixture
def open_site() -> Iterator[Callable[[str], Site]]:
    """A function that gives the ports of a database, which is closed in the end."""
    with contextlib.ExitStack() as stack:
        yield lambda url: sql_site(stack.enter_context(contextlib.closing(Database(url))))


@pytest.fixture
def sqlite_site(sqlite_url: str, open_site: Callable[[str], Site]) -> Site:
    return open_site(sqlite_url)


@pytest.fixture(scope="session")
def postgresql_template(postgresql: PostgreSQL) -> str:
    """An empty database of the newest schema, to be copied."""
    name = postgresql.create()
    migrate(postgresql.url(name))
    return name


@pytest.fixture
def postgresql_url(postgresql: PostgreSQL, postgresql_template: str) -> Iterator[str]:
    name = postgresql.create(postgresql_template)
    yield postgresql.url(name)
    postgresql.drop(name)


@pytest.fixture
def postgresql_site(postgresql_url: str, open_site: Callable[[str], Site]) -> Site:
    return open_site(postgresql_url)


def sql_site(database: Database) -> Site:
    def audit() -> list[AuditRow]:
        columns = schema.audit.c
        statement = select(columns.at, columns.actor, columns.action, columns.subject).order_by(columns.number)
        with database.reading() as connection:
            return [AuditRow(*row) for row in connection.execute(statement)]

    return Site(
        SqlPapers(database),
        SqlUploads(database),
        SqlRubrics(database),
        SqlSubmissions(database),
        SqlRuns(database),
        SqlRunLog(database),
        SqlKeys(database),
        SqlWorkers(database),
        audit,
        database,
    )


class Samples:
    """Values that could be real; every call gives another one."""

    now = NOW

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def after(self, seconds: float) -> datetime:
        return NOW + timedelta(seconds=seconds)

    def audit(self, action: str = "test", subject: str = "x", actor: str | None = "alice") -> AuditRow:
        return AuditRow(NOW, actor, action, subject)

    def file(self, key: str | None = None) -> StoredFile:
        key = key or f"files/{next(self._count)}"
        return StoredFile(key, hashlib.sha256(key.encode()).hexdigest(), len(key))

    def paper(self, paper_id: str | None = None, **changes: Any) -> Paper:
        paper_id = paper_id or f"paper-{next(self._count)}"
        paper = Paper(
            paper_id=paper_id,
            repository_id=ids.new("repo"),
            title="On Rèmembering 再現",
            authors=("Ada Lovelace", "陳 大文"),
            venue=None,
            year=2024,
            source_type="upload",
            source="remembering.pdf",
            artifact_url="https://example.org/code",
            license="cc by 4.0",
            license_source="given",
            summary="",
            visibility="public",
            owner="upload",
            slug=paper_id.lower(),
            withdrawn=False,
            imported_at=NOW,
            updated_at=NOW,
            pdf=self.file(),
            pdf_has_text=True,
        )
        return replace(paper, **changes)

    def rubric(self, paper: Paper, content: str = "content", **changes: Any) -> RubricVersion:
        rubric = RubricVersion(
            rubric_id=ids.new("rub"),
            repository_id=paper.repository_id,
            version=0,
            sha256=hashlib.sha256(content.encode()).hexdigest(),
            leaves_count=1,
            categories={"Code Execution": 1},
            origin="given",
            tree={"id": "root", "weight": 1, "sub_tasks": [], "requirements": content, "b": 0.1, "a": 92.5},
            envelope={},
            flags={},
            created_at=NOW,
        )
        return replace(rubric, **changes)

    def submission(self, paper: Paper, **changes: Any) -> Submission:
        submission = Submission(
            submission_id=ids.new("sub"),
            repository_id=paper.repository_id,
            file=self.file(),
            files=(SubmissionFile("reproduce.sh", 12, "0" * 64),),
            files_total=1,
            has_script=True,
            origin="given",
            warnings=({"code": "crlf_script", "message": "…"},),
            created_at=NOW,
        )
        return replace(submission, **changes)

    def run(self, paper: Paper, rubric: RubricVersion, submission: Submission | None, **changes: Any) -> Run:
        run = Run(
            run_id=ids.new("run"),
            paper_id=paper.paper_id,
            repository_id=paper.repository_id,
            paper={"paper_id": paper.paper_id, "visibility": paper.visibility},
            rubric_id=rubric.rubric_id,
            submission_id=submission.submission_id if submission else None,
            configs={"reproduce_config": {"time_limit_sec": 60}},
            skipped=("rubric", "rollout"),
            code_only=False,
            created_at=NOW,
            created_by="alice",
        )
        return replace(run, **changes)

    def stored_paper(self, site: Site, **changes: Any) -> tuple[Paper, RubricVersion, Submission]:
        """A paper that can be run."""
        paper = site.papers.add(self.paper(**changes), self.audit())
        rubric, _ = site.rubrics.add(self.rubric(paper), None, self.audit())
        submission, _ = site.submissions.add(self.submission(paper), self.audit())
        return paper, rubric, submission

    def launched(self, site: Site, **changes: Any) -> Run:
        run = self.run(*self.stored_paper(site), **changes)
        site.runs.add([run], [self.audit("launch", run.run_id)], None)
        return site.runs.get(run.run_id)

    def evidence(self, run: Run, name: str = "out.csv") -> Evidence:
        file = self.file()
        return Evidence(ids.new("ev"), run.run_id, name, "output", file.key, file.sha256, 3, "text/csv", NOW)

    def assessment(self, run: Run, claim_id: str = "claim-one") -> Assessment:
        return Assessment(
            assessment_id=ids.new("as"),
            run_id=run.run_id,
            claim_id=claim_id,
            conclusion="supports",
            assessor_kind="deterministic",
            assessor_name=None,
            rationale=None,
            rubric_sha256="0" * 64,
            score=0.1,
            coverage=1.0,
            code_only=False,
            degraded=False,
            evidence_ids=("ev_1", "ev_2"),
            created_at=NOW,
        )

    def diagnostic(self, code: str = "worker_lost") -> Diagnostic:
        return Diagnostic(code, "infrastructure", True, "It broke.", "Retry.")


@pytest.fixture
def samples() -> Samples:
    return Samples()
