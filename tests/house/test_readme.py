"""README.md tells the truth: every setting with its default, every command."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator

import click

from runner.cli import main
from runner.settings import PREFIX, Settings


def rows(readme: str, heading: str) -> Iterator[list[str]]:
    """Cells of the table below `heading`, without its head."""
    section = readme.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    for line in lines[2:]:
        yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def default(value: object) -> str:
    """A setting's default as the README writes it."""
    if value is None or value == ():
        return "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"`{value}`"


def test_it_lists_every_setting_with_its_default(root: pathlib.Path) -> None:
    readme = (root / "README.md").read_text()
    told = {code(name)[0]: value for name, value, _ in rows(readme, "Settings")}
    real = {name.upper(): default(field.default) for name, field in Settings.model_fields.items()}
    assert told == real
    assert PREFIX in readme


def test_it_lists_every_command(root: pathlib.Path) -> None:
    told = [code(command)[0].split() for command, _ in rows((root / "README.md").read_text(), "Commands")]
    assert sorted(" ".join(words[1 : depth(words)]) for words in told) == sorted(commands(main))


def depth(words: list[str]) -> int:
    """`reprise keys create ...` names a group and a verb, all others one verb."""
    group = main.get_command(click.Context(main), words[1])
    return 3 if isinstance(group, click.Group) else 2


def commands(group: click.Group) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from (f"{name} {verb}" for verb in command.list_commands(context))
        else:
            yield name
