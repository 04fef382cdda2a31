"""`reprise run`: launch a run of a registered paper, and with --wait see it through."""

from __future__ import annotations

import io
import json
import pathlib
import sys
import tarfile

import click

from runner.cli import _site
from runner.cli.following import carry_out, exit_code, worker_is_alive
from runner.cli.papers import intake
from runner.domain.configs import Configs, JudgeConfig, ReproduceConfig
from runner.domain.headline import headline
from runner.domain.run import Run
from runner.ports import Ports
from runner.settings import Settings
from runner.usecases import launch, rubrics, submissions
from runner.usecases.launch_checks import LaunchRequest

_KINDS = click.Choice(["auto", "bubblewrap", "local"])


@click.command()
@click.argument("paper_id")
@click.option(
    "--rubric", type=click.Path(exists=True, dir_okay=False, path_type=pathlib.Path), help="Store this rubric first."
)
@click.option(
    "--submission", type=click.Path(exists=True, path_type=pathlib.Path), help="Store this folder or archive first."
)
@click.option("--sandbox", "sandbox_kind", type=_KINDS, help="Sandbox of reproduce.sh; by default the site's.")
@click.option(
    "--time-limit",
    "time_limit_sec",
    type=click.IntRange(1, 2_592_000),
    default=43_200,
    show_default=True,
    help="Seconds for reproduce.sh.",
)
@click.option("--code-only", is_flag=True, help="Grade Code Development criteria alone; nothing is run.")
@click.option("--wait", is_flag=True, help="Follow the run to its end; without a worker it is carried out here.")
@click.option("--json", "as_json", is_flag=True, help="The results (with --wait) or the answer of POST /run.")
def run(
    paper_id: str,
    rubric: pathlib.Path | None,
    submission: pathlib.Path | None,
    sandbox_kind: str | None,
    time_limit_sec: int,
    code_only: bool,
    wait: bool,
    as_json: bool,
) -> None:
    """Reproduce a paper. Exit status with --wait: 0 completed, 3 degraded, 1 failed or cancelled."""
    site = _site.settings()
    ports = _site.open_ports(site)
    store_inputs(ports, site, paper_id, rubric, submission)
    configs = Configs(
        reproduce_config=ReproduceConfig(time_limit_sec=time_limit_sec, sandbox_kind=sandbox_kind),  # type: ignore[arg-type]
        judge_config=JudgeConfig(code_only=code_only or None, skip_negative_control=True),
    )
    answer = launch.launch(ports, request=LaunchRequest((paper_id,), configs), actor=None)
    for warning in answer["warnings"]:
        click.echo(f"warning: {warning['message']} [{warning['code']}]", err=True)
    if not wait:
        click.echo(json.dumps(answer) if as_json else answer["job_ids"][0])
        if not worker_is_alive(ports):
            click.echo("The run is queued and no worker is alive: start reprise up, or use --wait.", err=True)
        return
    finished = carry_out(ports, answer["job_ids"][0], quiet=as_json)
    click.echo(
        json.dumps(ports.runs.results(finished.run_id), ensure_ascii=False) if as_json else ending(ports, finished)
    )
    sys.exit(exit_code(finished))


def store_inputs(
    ports: Ports, site: Settings, paper_id: str, rubric: pathlib.Path | None, submission: pathlib.Path | None
) -> None:
    """Stores a rubric file and a submission (folder or archive) for the paper."""
    if rubric:
        rubrics.put(
            ports, paper_id=paper_id, body=rubric.read_bytes(), if_version=None, intake=intake(site), actor=None
        )
    if submission:
        with packed(submission) if submission.is_dir() else open(submission, "rb") as data:
            submissions.add(ports, paper_id=paper_id, given=data, intake=intake(site), actor=None)


def packed(folder: pathlib.Path) -> io.BytesIO:
    """A folder as tar; equal content gives equal bytes, whenever and by whomever it is packed."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.mtime = member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member

    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            tar.add(path, arcname=str(path.relative_to(folder)), recursive=False, filter=plain)
    data.seek(0)
    return data


def ending(ports: Ports, run: Run) -> str:
    """One line: how the run ended, and what is to be done about it."""
    results = ports.runs.results(run.run_id)
    label = " (degraded)" if run.degraded else ""
    said = f": {headline(results)}" if results else ""
    reason = f". {run.diagnostic.summary} {run.diagnostic.recovery_action}" if run.diagnostic else ""
    return f"{run.run_id} {run.status}{label}{said}{reason}"
