"""Ending a command whose input is wrong: one line on stderr, status 2, no traceback."""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterator

import click

from runner.domain.errors import DomainError

_TOLD_AT_MOST = 10


class Refusal(click.ClickException):
    exit_code = 2


@contextlib.contextmanager
def refused_for(file: pathlib.Path) -> Iterator[None]:
    """What is wrong with `file`, as a Refusal that names it."""
    try:
        yield
    except OSError as error:
        raise Refusal(f"{file}: {error.strerror}") from None
    except DomainError as error:
        raise Refusal(f"{file}: {_tell(error)}") from None


def _tell(error: DomainError) -> str:
    if not error.details:
        return error.message
    told = [fault.message for fault in error.details[:_TOLD_AT_MOST]]
    rest = len(error.details) - len(told)
    return f"{error.code}: " + "; ".join(told) + (f"; and {rest} more" if rest else "")
