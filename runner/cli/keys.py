"""`reprise keys`: make, list and revoke API keys."""

from __future__ import annotations

import json

import click

from runner.cli import _site
from runner.domain.access import Scope
from runner.usecases import keys as use


@click.group()
def keys() -> None:
    """API keys: the secret is shown once and only its hash is kept."""


@keys.command()
@click.option(
    "--scope", "scopes", type=click.Choice(["run", "admin"]), multiple=True, required=True, help="May be repeated."
)
@click.option("--name", default="", help="Shown as created_by and in the audit trail.")
def create(scopes: tuple[Scope, ...], name: str) -> None:
    """Make a key; it stands alone on the last line of the output."""
    key, secret = use.create(_site.open_ports(), name=name, scopes=scopes)
    named = "" if key.name == key.key_id else f" {key.name}"
    click.echo(f"{key.key_id}{named} ({', '.join(key.scopes)}): keep this key, it is not shown again", err=True)
    click.echo(secret)


@keys.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON list.")
def list_keys(as_json: bool) -> None:
    """All keys, without their secrets."""
    rows = use.rows(_site.open_ports())
    if as_json:
        click.echo(json.dumps(rows))
        return
    if not rows:
        click.echo("There are no keys yet: reprise keys create --scope run makes one.", err=True)
    for row in rows:
        state = f"revoked {row['revoked_at']}" if row["revoked_at"] else "valid"
        name = "-" if row["name"] == row["key_id"] else row["name"]
        click.echo(f"{row['key_id']}  {name}  {','.join(row['scopes'])}  {row['created_at']}  {state}")


@keys.command()
@click.argument("key_id")
def revoke(key_id: str) -> None:
    """End a key at once."""
    use.revoke(_site.open_ports(), key_id=key_id)
    click.echo(f"{key_id} is revoked.")
