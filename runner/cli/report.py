"""`reprise report`: render a run's report here and write one file of it."""

from __future__ import annotations

import pathlib
import shutil
from typing import BinaryIO

import click

from runner.cli import _site
from runner.domain.report_files import FORMATS, LANGUAGES, ReportRequest, file_name
from runner.domain.run import Run
from runner.jobs import render_report
from runner.ports import Ports
from runner.usecases import reports as use
from runner.usecases import runs


@click.command()
@click.argument("run_id", metavar="RUN")
@click.option("--lang", "language", type=click.Choice(LANGUAGES), default="en", show_default=True, help="Language.")
@click.option("--format", "kind", type=click.Choice(FORMATS), default="pdf", show_default=True, help="Format.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=pathlib.Path), help="File to write.")
def report(run_id: str, language: str, kind: str, output: pathlib.Path | None) -> None:
    """Write the audit report of a finished run."""
    if output and not output.parent.is_dir():
        raise click.BadParameter(f"there is no folder {output.parent}", param_hint="-o")
    ports = _site.open_ports()
    run = ports.runs.get(run_id)
    if not run.is_final:
        raise runs.results_not_available(run)
    target = output or pathlib.Path(file_name(run, language, kind))
    for warning in write(ports, run, {(language, kind): target}):
        raise click.ClickException(f"{warning['message']} [{warning['code']}]")
    click.echo(str(target))


def write(ports: Ports, run: Run, targets: dict[tuple[str, str], pathlib.Path]) -> list[dict[str, str]]:
    """Renders the files (by language and format) and copies them out, into folders that exist.

    Returns a warning for each that could not be made.
    """
    request = ReportRequest(
        tuple(dict.fromkeys(language for language, _ in targets)), tuple(dict.fromkeys(kind for _, kind in targets))
    )
    render_report(ports, run.run_id, request)
    for file, key in use.file_keys(ports, run, request).items():
        if file in targets and ports.objects.exists(key):
            with ports.objects.open(key) as stored:
                _copy(stored, targets[file])
    answer: list[dict[str, str]] = use.answer(ports, run, request)["warnings"]
    return answer


def _copy(stored: BinaryIO, target: pathlib.Path) -> None:
    try:
        with target.open("wb") as copy:
            shutil.copyfileobj(stored, copy)
    except OSError as error:
        raise click.ClickException(f"{target}: {error.strerror}") from None
