"""`reprise up`: the whole service on one port of one machine."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import ipaddress
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator

import click

from runner import assets
from runner.cli import _site
from runner.cli.household import Household
from runner.settings import Settings, child_environment


@click.command()
@click.option("--host", help="Address to listen on (REPRISE_HOST).")
@click.option("--port", type=click.IntRange(1, 65535), help="Port to listen on (REPRISE_PORT).")
@click.option("--workers", type=click.IntRange(1, 64), default=2, show_default=True, help="Worker processes.")
def up(host: str | None, port: int | None, workers: int) -> None:
    """Serve everything: web, workers, conductor and, without REPRISE_REDIS_URL, an embedded Valkey."""
    from runner import wiring

    site = _site.settings(host=host, port=port)
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with _alone(site):
        ports = _site.open_ports(site)
        _refuse_without_key(site, has_key=any(key.revoked_at is None for key in ports.keys.all()))
        _refuse_taken_port(site)
        is_first = True
        while not stop.is_set():
            with wiring.queue_server(site) as server:
                _serve(
                    site,
                    workers,
                    stop,
                    queue_is_alive=lambda: server is None or server.process.poll() is None,
                    say_ready=is_first,
                )
            is_first = False


def _serve(
    site: Settings, workers: int, stop: threading.Event, queue_is_alive: Callable[[], bool], say_ready: bool
) -> None:
    """One household from its start to a stop, or to the end of the queue server: its address then changes for all."""
    household = Household(child_environment(site), stop)
    reprise = [sys.executable, "-m", "runner.cli"]
    quiet = "warning" if site.log_level == "info" else site.log_level  # its info is about itself
    gunicorn = [sys.executable, "-m", "gunicorn", "-c", str(assets.path("infra/gunicorn.web.py")), "--log-level", quiet]
    try:
        household.add("web", [*gunicorn, "functions.app:create_app()"])
        household.add("conductor", [*reprise, "conductor"])
        for number in range(1, workers + 1):
            household.add(f"worker {number}", [*reprise, "worker"])
        if household.wait_until_ready(site.host, site.port):
            if say_ready:
                click.echo(f"ready http://{_shown_host(site.host)}:{site.port}")
                click.echo("Open it in a browser; Ctrl-C stops everything.", err=True)
            household.serve(queue_is_alive)
        elif not stop.is_set():
            raise click.ClickException("The web server did not answer within a minute: see its messages above.")
        if not stop.is_set():
            click.echo("the embedded Valkey has ended: starting everything again", err=True)
    finally:
        household.stop()


@contextlib.contextmanager
def _alone(site: Settings) -> Iterator[None]:
    """One `up` per DATA_DIR; the lock goes with the process."""
    site.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open(site.data_dir / "up.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise click.ClickException(
                "Another reprise up uses this data folder: stop it, or give --data-dir."
            ) from None
        yield


def _refuse_without_key(site: Settings, *, has_key: bool) -> None:
    if has_key or (site.auth != "key" and _is_loopback(site.host)):
        return
    reason = "REPRISE_AUTH=key" if site.auth == "key" else f"listening on {site.host}, which others can reach,"
    raise click.ClickException(f"{reason} needs a key first: reprise keys create --scope run --scope admin")


def _refuse_taken_port(site: Settings) -> None:
    family = socket.AF_INET6 if ":" in site.host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((site.host, site.port))
        except OSError as error:
            text = (
                "is taken: choose another with --port"
                if error.errno == errno.EADDRINUSE
                else os.strerror(error.errno or 0)
            )
            raise click.ClickException(f"The address {site.host} port {site.port} {text}.") from None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _shown_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
