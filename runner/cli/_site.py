"""What every verb needs: settings from the command line and the environment, and the ports built from them."""

from __future__ import annotations

import click

from runner.ports import Ports
from runner.settings import Settings, SettingsError, load


def settings(**given: object) -> Settings:
    """Settings with `--data-dir` and other options over the environment. A wrong value ends with one line and status 2."""
    context = click.get_current_context()
    try:
        return load(data_dir=context.find_root().meta.get("reprise.data_dir"), **given)
    except SettingsError as error:
        raise click.UsageError(str(error)) from None


def open_ports(site: Settings | None = None) -> Ports:
    """Ports on DATA_DIR or DATABASE_URL, its schema brought up to date first. No server is needed."""
    from runner import wiring  # loads SQLAlchemy: only verbs that touch state pay for it

    site = site or settings()
    wiring.migrate(site)
    return wiring.build(site)
