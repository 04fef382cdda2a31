"""`reprise`: the command line. Each verb is loaded when it is asked for, so that `reprise score` starts at once."""

from __future__ import annotations

import importlib
import pathlib
from typing import Any

import click

from runner import __version__
from runner.cli import refusals

_VERBS = {
    "up": "up:up",
    "demo": "demo:demo",
    "run": "run:run",
    "import": "papers:import_paper",
    "papers": "papers:papers",
    "runs": "runs:runs",
    "logs": "runs:logs",
    "report": "report:report",
    "score": "score:score",
    "judge-eval": "judge_eval:judge_eval",
    "worker": "processes:worker",
    "conductor": "processes:conductor",
    "migrate": "processes:migrate",
    "keys": "keys:keys",
}


class _Verbs(click.Group):
    """Loads a verb's module when it is named, gives every verb the option `--data-dir`, and tells why one failed."""

    def invoke(self, ctx: click.Context) -> Any:
        with refusals.told_refusals():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            return None
        module, _, name = _VERBS[cmd_name].partition(":")
        command: click.Command = getattr(importlib.import_module(f"runner.cli.{module}"), name)
        for each in [command, *getattr(command, "commands", {}).values()]:
            if not any(parameter.name == "data_dir" for parameter in each.params):
                each.params.append(_data_dir_option())
        return command


def _data_dir_option() -> click.Option:
    return click.Option(
        ["--data-dir"],
        type=click.Path(file_okay=False, path_type=pathlib.Path),
        expose_value=False,
        callback=_keep_data_dir,
        help="Folder of database, objects and scratch (REPRISE_DATA_DIR; default ./data).",
    )


def _keep_data_dir(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    if value is not None:
        ctx.find_root().meta["reprise.data_dir"] = value


@click.group(cls=_Verbs, params=[_data_dir_option()], context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="reprise")
def main() -> None:
    """Reprise reruns papers: import, reproduce in a sandbox, judge each criterion, report."""
