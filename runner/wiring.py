"""The composition root: the only module that names adapters and sandboxes."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from runner.adapters import rqueue, secret_file, valkey
from runner.adapters.archives import ArchiveFiles
from runner.adapters.clock import SystemClock
from runner.adapters.no_queue import NoQueue
from runner.adapters.objects_fs import FolderObjects
from runner.adapters.pdfs import PdfFiles
from runner.adapters.rqueue import RedisQueue
from runner.adapters.sql.engine import Database
from runner.adapters.sql.keys import SqlKeys
from runner.adapters.sql.papers import SqlPapers
from runner.adapters.sql.rubrics import SqlRubrics
from runner.adapters.sql.runlog import SqlRunLog
from runner.adapters.sql.runs import SqlRuns
from runner.adapters.sql.submissions import SqlSubmissions
from runner.adapters.sql.uploads import SqlUploads
from runner.adapters.sql.workers import SqlWorkers
from runner.domain.errors import Unavailable
from runner.domain.masking import Masker, secret_values
from runner.ports import Clock, Objects, Ports, Queue
from runner.sandboxes.bubblewrap import Bubblewrap
from runner.sandboxes.local import Local
from runner.sandboxes.site import Site
from runner.settings import Settings, environment, secrets

if TYPE_CHECKING:
    from runner.adapters.valkey import EmbeddedValkey

STAGES_QUEUE = "reprise-stages"
log = logging.getLogger("reprise")


def build(site: Settings) -> Ports:
    """Everything the engine touches, by the site's settings. Connects to nothing yet."""
    site.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    database, clock = Database(site.database), SystemClock()
    return Ports(
        papers=SqlPapers(database),
        uploads=SqlUploads(database),
        rubrics=SqlRubrics(database),
        submissions=SqlSubmissions(database),
        runs=SqlRuns(database),
        log=SqlRunLog(database),
        keys=SqlKeys(database),
        workers=SqlWorkers(database),
        objects=_objects(site, clock),
        queue=_queue(site),
        pdfs=PdfFiles(),
        archives=ArchiveFiles(),
        sandboxes=Site({"bubblewrap": Bubblewrap(site.port), "local": Local()}, site.sandbox, site.allow_local_sandbox),
        clock=clock,
        scratch=site.scratch,
        masker=Masker(_never_shown(site)),
    )


def _never_shown(site: Settings) -> tuple[str, ...]:
    """What is masked wherever it turns up: secrets, and where the data lies (a sandbox's mount table tells)."""
    signing = secret_key(site).decode("utf-8", "replace")
    return (*secrets(site), *secret_values(environment()), signing, str(site.data_dir))


def secret_key(site: Settings) -> bytes:
    """Signs cursors and file URLs: SECRET_KEY, else one made once in DATA_DIR."""
    if site.secret_key is not None:
        return site.secret_key.get_secret_value().encode()
    return secret_file.kept(site.data_dir / "secret.key").encode()


def migrate(site: Settings) -> None:
    """Brings the database to this version's schema."""
    from runner.adapters.sql.migrate import migrate  # loads Alembic's neighbours: only starts pay for it

    site.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    migrate(site.database)


def queue_url(site: Settings) -> str | None:
    """REDIS_URL, else the embedded Valkey that `reprise up` started on this DATA_DIR; None without one."""
    if site.redis_url is not None:
        return site.redis_url.get_secret_value()
    return valkey.known_url(site.data_dir / "valkey")


@contextlib.contextmanager
def queue_server(site: Settings) -> Iterator[EmbeddedValkey | None]:
    """The embedded Valkey for as long as the block lasts; nothing when REDIS_URL names a server, which must answer.

    Raises Unavailable `queue_unavailable`.
    """
    if site.redis_url is not None:
        rqueue.require_answer(site.redis_url.get_secret_value())
        yield None
        return
    with valkey.start(site.data_dir / "valkey") as server:
        yield server


def run_worker(site: Settings, queues: tuple[str, ...]) -> None:
    """Works on stages until a signal comes. Raises Unavailable `queue_unavailable` when there is no queue."""
    from runner.adapters import rq_worker

    url = queue_url(site)
    if url is None:
        raise Unavailable("No queue is set up here: start reprise up, or set REPRISE_REDIS_URL.", "queue_unavailable")
    rqueue.require_answer(url)
    ports = build(site)

    def beat(worker_id: str) -> None:
        try:
            ports.workers.beat(worker_id, ports.clock.now())
        except Unavailable as error:
            log.warning("%s: %s", error.code, error.message)

    rq_worker.run(url, queues, beat, site.log_level)


def start_log(site: Settings) -> None:
    """Processes log to stderr, one line each."""
    logging.basicConfig(
        level=site.log_level.upper(), stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )


def _objects(site: Settings, clock: Clock) -> Objects:
    if site.object_store == "fs":
        return FolderObjects(site.data_dir / "objects", secret_key(site), site.origin, clock.now)
    from runner.adapters.objects_minio import Bucket, BucketObjects  # 0.2 s that only sites with a bucket pay

    scheme, _, public = (site.s3_public_endpoint or "").rpartition("://")
    bucket = Bucket(
        name=str(site.s3_bucket),
        region=site.s3_region,
        endpoint=str(site.s3_endpoint),
        secure=site.s3_secure,
        public_endpoint=public or str(site.s3_endpoint),
        public_secure=scheme == "https" if scheme else site.s3_secure,
        access_key=str(site.s3_access_key),
        secret_key=site.s3_secret_key.get_secret_value() if site.s3_secret_key else "",
    )
    return BucketObjects(bucket, clock.now)


def _queue(site: Settings) -> Queue:
    url = queue_url(site)
    return RedisQueue(url, STAGES_QUEUE) if url else NoQueue()
