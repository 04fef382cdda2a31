"""`reprise demo`: the whole main job on the bundled example paper. No key, no service, no network."""

from __future__ import annotations

import io
import json
import sys
import time
from importlib import resources
from typing import Any

import click

from runner import example
from runner.cli import _site
from runner.cli.following import carry_out, exit_code
from runner.cli.papers import hand_over, intake
from runner.cli.report import write
from runner.cli.run import ending
from runner.domain import licence
from runner.domain.configs import Configs, JudgeConfig, ReproduceConfig
from runner.domain.errors import Invalid
from runner.domain.report_files import FORMATS, LANGUAGES
from runner.domain.run import Run
from runner.ports import Ports
from runner.settings import Settings
from runner.usecases import launch, register, rubrics, submissions
from runner.usecases.launch_checks import LaunchRequest

TIME_LIMIT_SEC = 120
_MARKS = {"verified": "✓", "mismatched": "✗", "unverified": "?", "review_required": "?"}
_COLOURS = {"supports": "green", "contradicts": "red", "challenges": "yellow"}


@click.command()
def demo() -> None:
    """Import, reproduce, judge and report a small paper that comes with Reprise."""
    began = time.monotonic()
    site, kind = _sandbox(_site.settings())
    ports = _site.open_ports(site)
    paper_id = example.metadata["paper_id"]
    _import(ports, site)
    configs = Configs(
        reproduce_config=ReproduceConfig(time_limit_sec=TIME_LIMIT_SEC, sandbox_kind=kind),  # type: ignore[arg-type]
        judge_config=JudgeConfig(skip_negative_control=True),
    )
    answer = launch.launch(ports, request=LaunchRequest((paper_id,), configs), actor=None)
    run = carry_out(ports, answer["job_ids"][0])
    click.echo(f"\n{ending(ports, run)}")
    results = ports.runs.results(run.run_id)
    if results is None:
        sys.exit(exit_code(run))
    _show_claims(results)
    _write_reports(ports, site, run)
    click.echo(f"\nDone in {time.monotonic() - began:.1f} s.")
    click.echo(f"See it in a browser: {sys.argv[0]} up --data-dir {site.data_dir}")
    sys.exit(exit_code(run))


def _sandbox(site: Settings) -> tuple[Settings, str]:
    """An isolating sandbox; where there is none, the bundled code alone runs as `local`, and that is said."""
    from runner import wiring

    try:
        return site, wiring.build(site).sandboxes.choose("auto").kind
    except Invalid as error:
        click.echo(f"No isolation: {error.message} The demo's own code runs without it.", err=True)
        return site.model_copy(update={"allow_local_sandbox": True}), "local"


def _import(ports: Ports, site: Settings) -> None:
    facts = example.metadata
    with resources.as_file(example.paper_pdf()) as pdf:
        draft = register.Draft(
            source_type="upload",
            source=pdf.name,
            title=facts["title"],
            license=facts["license"],
            authors=tuple(facts["authors"]),
            venue=facts["venue"],
            year=facts["year"],
            paper_id=facts["paper_id"],
            files={"pdf_path": hand_over(ports, pdf)},
        )
        made = register.register(ports, draft=draft, overwrite=True, intake=intake(site), actor=None)
    click.echo(f"imported   {made.paper.title} ({licence.classify(made.paper.license).spdx})")
    body = json.dumps(example.rubric()).encode()
    rubric = rubrics.put(
        ports, paper_id=made.paper.paper_id, body=body, if_version=None, intake=intake(site), actor=None
    ).rubric
    click.echo(f"rubric     version {rubric.version}, {rubric.leaves_count} criteria")
    archive = io.BytesIO(example.submission_archive())
    submission, _ = submissions.add(ports, paper_id=made.paper.paper_id, given=archive, intake=intake(site), actor=None)
    click.echo(f"submission {submission.files_total} files, sha256 {submission.file.sha256[:12]}\n")


def _show_claims(results: dict[str, Any]) -> None:
    measurements = {m["measurement_id"]: m for m in results["measurements"]}
    for claim in results["claims"]:
        conclusion = claim["conclusion"] or "not judged"
        click.echo(f"\n{click.style(conclusion.upper(), fg=_COLOURS.get(conclusion), bold=True)}  {claim['text']}")
        for measurement_id in claim["measurement_ids"]:
            click.echo(_measurement_line(measurements[measurement_id]))


def _measurement_line(m: dict[str, Any]) -> str:
    tolerance = m["tolerance"]
    width = f"{tolerance['relative']:.0%}" if isinstance(tolerance, dict) else str(tolerance)
    observed = "nothing" if m["observed_value"] is None else m["observed_value"]
    name = f"{m['metric']} ({', '.join(m['dimensions'].values())})" if m["dimensions"] else m["metric"]
    mark = _MARKS[m["verification"]]
    return (
        f"  {mark} {name}: reported {m['reported_value']}, observed {observed}, tolerance {width}: {m['verification']}"
    )


def _write_reports(ports: Ports, site: Settings, run: Run) -> None:
    folder = site.data_dir / "demo"
    folder.mkdir(exist_ok=True)
    targets = {(lang, kind): folder / f"report-{lang}.{kind}" for lang in LANGUAGES for kind in FORMATS}
    warnings = write(ports, run, targets)
    click.echo("\nreports")
    for path in targets.values():
        if path.exists():
            click.echo(f"  {path}")
    for warning in warnings:
        click.echo(f"  {warning['language']}/{warning['format']}: {warning['message']} [{warning['code']}]", err=True)
