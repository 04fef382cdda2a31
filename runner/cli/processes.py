"""The single processes of the Procfile: worker, conductor, migrate."""

from __future__ import annotations

import signal
import threading

import click

from runner.cli import _site


@click.command()
@click.argument("queues", nargs=-1, metavar="[QUEUE]...")
def worker(queues: tuple[str, ...]) -> None:
    """Work on stages until stopped. SIGTERM ends at once: what was under way is tried again."""
    from runner import jobs, wiring

    assert jobs.STAGES  # loaded before the first fork, so that each job starts at once

    site = _site.settings()
    wiring.start_log(site)
    wiring.run_worker(site, queues or (wiring.STAGES_QUEUE,))


@click.command()
def conductor() -> None:
    """Keep runs going: give up on lost workers, re-queue what the queue forgot."""
    from runner import wiring
    from runner.conductor import conduct

    site = _site.settings()
    wiring.start_log(site)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    conduct(wiring.build(site), stop)


@click.command()
def migrate() -> None:
    """Bring the database to the schema of this version."""
    from runner import wiring

    wiring.migrate(_site.settings())
    click.echo("The database is up to date.")
