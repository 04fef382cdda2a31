"""What the engine needs from the outside, in our words. Every port has a memory version and one contract-test class.

All methods are safe to call from several threads and processes. Times are aware UTC datetimes. Adapters translate driver
errors into `runner.domain.errors`; besides what a method names, every method of a stored port may raise
`Unavailable("storage_unavailable")`.
"""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, BinaryIO, Generic, Protocol, TypeVar

from runner.domain.access import AuditRow, Key
from runner.domain.masking import Masker
from runner.domain.papers import Paper, RubricVersion, StoredFile, Submission, SubmissionFile, Upload
from runner.domain.run import Assessment, Attempt, Ending, Evidence, Level, LogLine, LogStage, Run, RunStatus, StageName

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """`next_after` is the sort key to go on from (JSON values), None at the end."""

    items: tuple[T, ...]
    next_after: tuple[Any, ...] | None


class Papers(Protocol):
    def add(self, paper: Paper, audit: AuditRow) -> Paper:
        """Stores a new paper. A default `owner`/`slug` pair that is taken is the caller's problem.

        Raises Conflict `paper_exists` (fact `existing`: Paper) or `slug_taken`.
        """
        ...

    def get(self, paper_id: str) -> Paper:
        """Raises NotFound `paper_not_found`, also for ids that cannot exist."""
        ...

    def change(self, paper_id: str, edit: Callable[[Paper], Paper], audit: AuditRow) -> Paper:
        """Applies `edit` to the present paper inside one transaction and stores the result.

        `edit` may run more than once; what it raises passes through and nothing is changed.
        Raises NotFound `paper_not_found`, Conflict `slug_taken`.
        """
        ...

    def slug_is_taken(self, owner: str, slug: str) -> bool: ...

    def page(
        self,
        *,
        words: Sequence[str],
        sort: str,
        descending: bool,
        after: tuple[Any, ...] | None,
        limit: int,
        scopes: Sequence[str] = (),
        usable: bool | None = None,
        source_types: Sequence[str] = (),
        with_private: bool = True,
    ) -> Page[Paper]:
        """Papers in keyset order of `sort` (`imported_at`, `title`, `year`, `paper_id`; ties by `paper_id`, null years last)."""
        ...

    def delete(self, paper_id: str, audit: AuditRow) -> tuple[StoredFile, ...]:
        """Removes paper, rubrics and submissions that no run uses, in one transaction; returns files nobody refers to now.

        Raises NotFound `paper_not_found`, Conflict `paper_has_active_runs` (fact `job_ids`).
        """
        ...


class Uploads(Protocol):
    def add(self, upload: Upload) -> None: ...

    def get(self, upload_id: str, now: datetime) -> Upload:
        """Raises NotFound `upload_not_found` for unknown and expired ones."""
        ...


class Rubrics(Protocol):
    def add(self, rubric: RubricVersion, if_version: int | None, audit: AuditRow) -> tuple[RubricVersion, str]:
        """Stores the next version of `rubric.repository_id`; the version number in `rubric` is ignored.

        Returns the stored version and `created`, `same` (equal sha256, envelope and flags), or `flags` (flags alone replaced).
        `if_version` 0 means that there is none yet.
        Raises Conflict `version_conflict` (fact `version`) when `if_version` is not the newest, NotFound
        `paper_not_found` when no paper has this repository any more.
        """
        ...

    def newest(self, repository_id: str) -> RubricVersion:
        """Raises NotFound `rubric_not_found`."""
        ...

    def version(self, repository_id: str, version: int) -> RubricVersion:
        """Raises NotFound `rubric_not_found`."""
        ...

    def get(self, rubric_id: str) -> RubricVersion:
        """Raises NotFound `rubric_not_found`; finds also what a deleted paper left to its runs."""
        ...


class Submissions(Protocol):
    def add(self, submission: Submission, audit: AuditRow) -> tuple[Submission, bool]:
        """Stores it, or returns the one of the same bytes and repository; True when it is new.

        Raises NotFound `paper_not_found` when no paper has this repository any more.
        """
        ...

    def get(self, submission_id: str) -> Submission:
        """Raises NotFound `submission_not_found`."""
        ...

    def newest(self, repository_id: str) -> Submission:
        """Raises NotFound `submission_not_found`."""
        ...

    def page(self, repository_id: str, after: tuple[Any, ...] | None, limit: int) -> Page[Submission]: ...


@dataclass(frozen=True, slots=True)
class Claimed:
    """A claimed attempt and the run it belongs to."""

    run: Run
    attempt: Attempt


class Runs(Protocol):
    """Runs, their stage attempts, results, evidence and assessments. Each method is one transaction."""

    def add(
        self, runs: Sequence[Run], audit: Sequence[AuditRow], idempotency: tuple[str, str, dict[str, Any]] | None
    ) -> None:
        """Stores runs as `queued`, each with a first pending attempt of its first needed stage and a first log line.

        All rubrics, submissions and papers they name must still exist, else Conflict `paper_changed`.
        `idempotency` = (key, sha256 of the body, answer): Conflict `idempotency_key_taken` if the key is there already.
        """
        ...

    def idempotent_answer(self, key: str, now: datetime) -> tuple[str, dict[str, Any]] | None:
        """(sha256 of the body, answer) kept for this key for 24 h, or None."""
        ...

    def get(self, run_id: str) -> Run:
        """Raises NotFound `run_not_found`, also for ids that cannot exist."""
        ...

    def page(
        self,
        *,
        paper_id: str | None,
        statuses: Sequence[RunStatus],
        stage: StageName | None,
        after: tuple[Any, ...] | None,
        limit: int,
        with_private: bool = True,
    ) -> Page[Run]:
        """Newest first."""
        ...

    def claim(self, run_id: str, stage: StageName, number: int, worker_id: str, now: datetime) -> Claimed | None:
        """Compare-and-set pending -> running; None when somebody else has it, it has ended, or a cancel came first."""
        ...

    def beat(self, run_id: str, stage: StageName, number: int, worker_id: str, now: datetime) -> bool:
        """Stores the heartbeat; False when this attempt is no longer this worker's."""
        ...

    def cancel_requested(self, run_id: str) -> bool: ...

    def script_started(self, run_id: str, now: datetime) -> None:
        """`execution_state` becomes `running`."""
        ...

    def finish(self, run_id: str, stage: StageName, number: int, worker_id: str, ending: Ending, now: datetime) -> bool:
        """Writes outcome, next stage, results, evidence, assessments, messages and the end of the log, in one transaction.

        False, and nothing written, when the attempt is not running under this worker any more. With a cancel requested
        the run ends as cancelled, whatever `ending` says: outcome and evidence are kept, results and assessments not.
        A stage after `reproduce` never changes `execution_state`. The rules: `runner.domain.run_life.ended`.
        """
        ...

    def request_cancel(self, run_id: str, audit: AuditRow, now: datetime) -> RunStatus:
        """A run nobody works on is `cancelled` at once; a running stage is told. Returns the status afterwards.

        Raises Conflict `run_not_active` (fact `status`) for completed and failed ones; `cancelled` is returned as it is.
        """
        ...

    def retry(self, run_id: str, stage: StageName, audit: AuditRow, now: datetime) -> None:
        """A failed or cancelled run is `queued` again with a next attempt of `stage`; earlier ones are kept.

        What stages before `stage` found out (`degraded`, `diagnostic`, `execution_state`) stays true.
        Raises Conflict `run_not_retryable` (fact `status`).
        """
        ...

    def pending(self, limit: int) -> tuple[Attempt, ...]:
        """Attempts that wait for a worker, oldest first."""
        ...

    def lost(self, beat_before: datetime) -> tuple[Attempt, ...]:
        """Running attempts whose heartbeat is older."""
        ...

    def results(self, run_id: str) -> dict[str, Any] | None: ...

    def evidence(self, run_id: str, after: tuple[Any, ...] | None, limit: int) -> Page[Evidence]:
        """In order of making."""
        ...

    def add_evidence(self, evidence: Evidence) -> None:
        """Adds one artifact outside of a stage's end (reports)."""
        ...

    def assessments(self, run_id: str) -> tuple[Assessment, ...]:
        """Oldest first."""
        ...


class RunLog(Protocol):
    def append(
        self, run_id: str, lines: Sequence[tuple[datetime, Level, LogStage, str]], attempt: Attempt | None = None
    ) -> int:
        """Stores lines under the next sequence numbers, all or none; returns the last number. Order is kept.

        With `attempt` (as it was claimed) only while it runs under its worker: else Conflict `attempt_lost`.
        """
        ...

    def read(self, run_id: str, after: int, limit: int) -> tuple[LogLine, ...]:
        """Lines with seq > `after` (-1 = all), in order."""
        ...

    def lengths(self, run_ids: Sequence[str]) -> Mapping[str, int]:
        """How many lines each of these runs has by now, in one question; unknown runs are left out."""
        ...

    def tail(self, run_id: str, count: int) -> tuple[LogLine, ...]:
        """The last `count` lines, in order."""
        ...


class Keys(Protocol):
    def add(self, key: Key) -> None: ...
    def find(self, secret_sha256: str) -> Key | None:
        """The key with this hash, revoked or not."""
        ...

    def all(self) -> tuple[Key, ...]: ...
    def revoke(self, key_id: str, now: datetime) -> bool: ...


class Workers(Protocol):
    """Who is alive: heartbeats of workers, and one lease per role (the conductor)."""

    def beat(self, worker_id: str, now: datetime) -> None: ...
    def alive(self, since: datetime) -> int: ...
    def take_lease(self, name: str, holder: str, now: datetime, until: datetime) -> bool:
        """True when the lease is free, expired or already ours; it then runs until `until`."""
        ...


class Objects(Protocol):
    """Bytes under keys such as `runs/run_…/out.csv`. Raises Invalid `key_invalid` for keys with `..`, empty parts, NUL."""

    def put(self, key: str, data: BinaryIO, content_type: str = "application/octet-stream") -> StoredFile:
        """Streams; the key appears only when all bytes are there. Overwrites."""
        ...

    def open(self, key: str) -> contextlib.AbstractContextManager[BinaryIO]:
        """Raises NotFound `object_not_found`."""
        ...

    def exists(self, key: str) -> bool: ...
    def delete(self, key: str) -> None:
        """No error when it is absent."""
        ...

    def keys(self, prefix: str) -> Iterator[str]: ...

    def url(self, key: str, *, filename: str, content_type: str, inline: bool = False, valid_s: int = 3600) -> str:
        """A signed absolute URL that anyone may GET until it expires."""
        ...

    def location(self, prefix: str) -> str:
        """`objects://prefix` or `s3://bucket/prefix`: never a server path."""
        ...


class Queue(Protocol):
    def enqueue(self, job: str, args: Sequence[Any], job_id: str) -> None:
        """Tells a worker to call `job` (dotted name) with JSON values. Raises Unavailable `queue_unavailable`."""
        ...

    def knows(self, job_id: str) -> bool:
        """Whether this job is queued or being started. Raises Unavailable `queue_unavailable`."""
        ...


@dataclass(frozen=True, slots=True)
class PdfFacts:
    """`letters` in the first three pages; `garbled` is the share of NUL, private-use and U+FFFD characters."""

    pages: int
    letters: int
    garbled: float


class Pdfs(Protocol):
    def inspect(self, path: pathlib.Path) -> PdfFacts:
        """Raises Invalid `pdf_empty`, `pdf_not_a_pdf`, `pdf_encrypted`, `pdf_damaged`."""
        ...

    def render(self, html: str, language: str, run_id: str) -> bytes:
        """A PDF of a report page. Raises Unavailable `report_renderer_missing`, `report_renderer_crashed`,
        `report_timeout`, `report_too_big`, `report_glyph_missing`."""
        ...


@dataclass(frozen=True, slots=True)
class Listing:
    """What is in a submission archive, relative to its root."""

    files: tuple[SubmissionFile, ...]
    links: tuple[tuple[str, str], ...]
    files_total: int
    warnings: tuple[dict[str, str], ...]


class Archives(Protocol):
    def inspect(self, path: pathlib.Path) -> Listing:
        """Reads a tar, tar.gz or zip, told by content. Raises Invalid `submission_*`, TooLarge `submission_too_large`."""
        ...

    def unpack(self, path: pathlib.Path, into: pathlib.Path) -> Listing:
        """Unpacks into a fresh folder; the same refusals, and nothing is left then."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    memory_bytes: int | None = None
    pids: int | None = None
    tree_bytes: int = 20 * 2**30
    log_bytes: int = 2**30


@dataclass(frozen=True, slots=True)
class ScriptSpec:
    """What to run where. `tree` is the cwd; `env` is the whole environment."""

    tree: pathlib.Path
    scratch: pathlib.Path
    argv: tuple[str, ...]
    env: Mapping[str, str]
    time_limit_s: float
    network: bool = False
    binds: tuple[pathlib.Path, ...] = ()
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class ScriptOutcome:
    """`failure` is our side's code (`sandbox_start_failed`, `disk_limit`), None when the script itself had an outcome."""

    exit_code: int | None
    signal: str | None
    timed_out: bool
    stopped: bool
    elapsed_s: float
    failure: str | None = None
    failure_text: str = ""


@dataclass(frozen=True, slots=True)
class Probe:
    ok: bool
    reason: str = ""
    way_out: str = ""
    version: str = ""


class Sandbox(Protocol):
    kind: str
    network: str
    """What `reproduce.network` says when no network was asked for: `off` or `unrestricted`."""
    isolating: bool

    def probe(self) -> Probe: ...

    def environment(
        self, run_id: str, attempt: int, paper_id: str, spec_tree: pathlib.Path, scratch: pathlib.Path
    ) -> dict[str, str]:
        """The only variables that `reproduce.sh` sees (reproduction.md 2)."""
        ...

    def run(
        self, spec: ScriptSpec, on_output: Callable[[bytes], None], should_stop: Callable[[], bool]
    ) -> ScriptOutcome: ...


class Sandboxes(Protocol):
    """The sandbox kinds of this site and its rules about them."""

    def choose(self, kind: str | None) -> Sandbox:
        """The sandbox of a run; None is the site's default, `auto` the first isolating kind whose probe passes.

        Raises Invalid `sandbox_unavailable`, `sandbox_not_allowed`, `slurm_unavailable`: nothing else is tried then.
        """
        ...


class Clock(Protocol):
    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


@dataclass(frozen=True)
class Ports:
    """Everything a use case or stage may touch."""

    papers: Papers
    uploads: Uploads
    rubrics: Rubrics
    submissions: Submissions
    runs: Runs
    log: RunLog
    keys: Keys
    workers: Workers
    objects: Objects
    queue: Queue
    pdfs: Pdfs
    archives: Archives
    sandboxes: Sandboxes
    clock: Clock
    scratch: pathlib.Path
    masker: Masker = field(default_factory=Masker)
    """Takes the secrets of this service out of whatever is shown or stored."""


def each_page(read: Callable[[tuple[Any, ...] | None], Page[T]]) -> Iterable[T]:
    """All items of a paged read."""
    after: tuple[Any, ...] | None = None
    while True:
        page = read(after)
        yield from page.items
        if page.next_after is None:
            return
        after = page.next_after
