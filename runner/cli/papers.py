"""`reprise import` and `reprise papers`."""

from __future__ import annotations

import json
import pathlib

import click

from runner.cli import _site
from runner.domain import licence
from runner.domain.ids import is_paper_id
from runner.domain.papers import SourceType
from runner.ports import Ports
from runner.settings import Settings
from runner.usecases import papers as use
from runner.usecases import register, uploads
from runner.usecases.given_files import Intake

_FILE = click.Path(exists=True, dir_okay=False, path_type=pathlib.Path)


@click.command("import")
@click.argument("source")
@click.option("--title", required=True, help="Title of the paper.")
@click.option(
    "--type", "source_type", type=click.Choice(["local", "upload", "arxiv", "doi"]), default="local", show_default=True
)
@click.option("--id", "paper_id", help="Id of the paper; by default made from SOURCE.")
@click.option("--pdf", type=_FILE, help="The paper's PDF.")
@click.option("--license", "license_text", help="Licence, in any common spelling.")
@click.option("--author", "authors", multiple=True, help="May be repeated.")
@click.option("--year", type=int, help="Year of publication.")
@click.option("--private", is_flag=True, help="Hide it from readers without a key.")
@click.option("--overwrite", is_flag=True, help="Replace the paper of that id.")
@click.option("--json", "as_json", is_flag=True, help="The answer of POST /papers/import.")
def import_paper(
    source: str,
    title: str,
    source_type: SourceType,
    paper_id: str | None,
    pdf: pathlib.Path | None,
    license_text: str | None,
    authors: tuple[str, ...],
    year: int | None,
    private: bool,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Register a paper. SOURCE is an id or free text and is never opened; --pdf is."""
    site = _site.settings()
    ports = _site.open_ports(site)
    draft = register.Draft(
        source_type=source_type,
        source=source,
        title=" ".join(title.split()),
        license=license_text,
        authors=authors,
        year=year,
        paper_id=_checked_id(paper_id),
        visibility="private" if private else "public",
        files={"pdf_path": hand_over(ports, pdf)} if pdf else {},
        fetch=False,
    )
    made = register.register(ports, draft=draft, overwrite=overwrite, intake=intake(site), actor=None)
    if as_json:
        click.echo(
            json.dumps({**use.view(ports, made.paper), "warnings": made.warnings}, ensure_ascii=False, default=str)
        )
        return
    click.echo(f"{made.paper.paper_id}  {made.paper.title}")
    for warning in made.warnings:
        click.echo(f"warning: {warning['message']} [{warning['code']}]", err=True)


@click.command()
@click.option("-q", "--search", default="", help="Every word must occur in title, authors, venue, id or source.")
@click.option("--limit", type=click.IntRange(1, 100), default=50, show_default=True, help="How many, newest first.")
@click.option("--json", "as_json", is_flag=True, help="The answer of GET /papers.")
def papers(search: str, limit: int, as_json: bool) -> None:
    """List papers, newest first."""
    ports = _site.open_ports()
    found = use.page(ports, q=search, limit=limit)
    if as_json:
        rows = [use.view(ports, paper) for paper in found.items]
        click.echo(json.dumps({"papers": rows}, ensure_ascii=False, default=str))
        return
    if not found.items:
        click.echo("There are no papers yet: reprise import registers one.", err=True)
        return
    click.echo(f"{'paper':<32}  {'license':<20}  title")
    for paper in found.items:
        spdx = licence.classify(paper.license).spdx or paper.license
        click.echo(f"{paper.paper_id:<32}  {spdx:<20}  {paper.title}")


def hand_over(ports: Ports, file: pathlib.Path) -> str:
    """Makes an upload of a file that the person at the command line may read; returns its handle."""
    with open(file, "rb") as data:
        return f"upload:{uploads.receive(ports, filename=file.name, data=data).upload_id}"


def intake(site: Settings) -> Intake:
    return Intake(site.import_roots, site.max_upload_bytes)


def _checked_id(paper_id: str | None) -> str | None:
    if paper_id is not None and not is_paper_id(paper_id):
        raise click.BadParameter(
            "1 to 64 of A-Z a-z 0-9 . _ -, not starting with a dot; import is taken", param_hint="--id"
        )
    return paper_id
