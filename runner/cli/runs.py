"""`reprise runs` and `reprise logs`."""

from __future__ import annotations

import json

import click

from runner.cli import _site
from runner.cli.following import follow, show
from runner.domain import run_view
from runner.domain.run import RUN_STATUSES
from runner.usecases import runs as use


@click.command()
@click.option("--paper", "paper_id", help="Only runs of this paper.")
@click.option("--status", "statuses", multiple=True, type=click.Choice(RUN_STATUSES), help="May be repeated.")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="How many, newest first.")
@click.option("--json", "as_json", is_flag=True, help="The answer of GET /runs.")
def runs(paper_id: str | None, statuses: tuple[str, ...], limit: int, as_json: bool) -> None:
    """List runs, newest first."""
    found = use.page(_site.open_ports(), paper_id=paper_id, statuses=statuses, limit=limit)  # type: ignore[arg-type]
    if as_json:
        click.echo(json.dumps({"runs": [run_view.summary(run) for run in found.items]}, ensure_ascii=False))
        return
    if not found.items:
        click.echo("There are no runs yet: reprise run PAPER_ID starts one.", err=True)
        return
    click.echo(f"{'run':<30}  {'status':<20}  {'score':>6}  {'launched':<27}  paper      (- = no whole score)")
    for run in found.items:
        score = "-" if run.score is None else f"{run.score:.1%}"
        label = f"{run.status}{' (degraded)' if run.degraded else ''}"
        click.echo(f"{run.run_id}  {label:<20}  {score:>6}  {run_view.timestamp(run.created_at)}  {run.paper_id}")


@click.command()
@click.argument("run_id", metavar="RUN")
@click.option("--follow", "following", is_flag=True, help="Go on until the run has ended.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def logs(run_id: str, following: bool, as_json: bool) -> None:
    """Print the log of a run."""
    ports = _site.open_ports()
    ports.runs.get(run_id)
    lines = follow(ports, run_id) if following else use.log_lines(ports, run_id=run_id)
    if not as_json:
        show(iter(lines))
        return
    for line in lines:
        row = {
            "id": line.seq,
            "ts": run_view.timestamp(line.ts),
            "level": line.level,
            "stage": line.stage,
            "msg": line.msg,
        }
        click.echo(json.dumps(row, ensure_ascii=False))
