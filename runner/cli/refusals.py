"""Ending a command that cannot go on: a line or few on stderr, never a traceback."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
from collections.abc import Iterator

import click

from runner.domain.errors import DomainError

_TOLD_AT_MOST = 10
_HINTS = {
    "paper_not_found": "reprise papers lists the papers; reprise import registers one.",
    "run_not_found": "reprise runs lists the runs.",
    "rubric_missing": "On the command line: reprise run PAPER_ID --rubric FILE",
    "submission_missing": "On the command line: reprise run PAPER_ID --submission FOLDER_OR_ARCHIVE",
    "submission_no_reproduce_sh": "On the command line: reprise run PAPER_ID --code-only",
    "submission_empty": "It must hold at least reproduce.sh.",
    "sandbox_unavailable": "On the command line: reprise run PAPER_ID --sandbox auto",
    "paper_exists": "On the command line: reprise import ... --overwrite",
    "results_not_available": "The run must end first: start reprise up or a worker, and look with reprise runs.",
}
"""The way out in the words of the command line."""


class Refusal(click.ClickException):
    """The input is wrong: status 2."""

    exit_code = 2


@contextlib.contextmanager
def told_refusals() -> Iterator[None]:
    """A refusal of the engine, or of the machine, becomes a line on stderr, one more per fault, and status 1."""
    try:
        yield
    except DomainError as error:
        raise click.ClickException("\n".join(_lines(error))) from None
    except BrokenPipeError:
        raise  # click ends quietly: who read us has gone
    except OSError as error:
        _give_up_stdout()
        name = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{name}{error.strerror or error}") from None


def _lines(error: DomainError) -> list[str]:
    """The sentence, or every fault once, then what to type."""
    faults = [f"{fault.message} [{fault.code}]" for fault in error.details]
    first, *faults = dict.fromkeys(faults or [f"{error.message} [{error.code}]"])
    codes = dict.fromkeys([error.code, *(fault.code for fault in error.details)])
    return [first, *(f"  {fault}" for fault in faults), *(f"  {_HINTS[code]}" for code in codes if code in _HINTS)]


def _give_up_stdout() -> None:
    """Where standard output takes nothing more, Python would complain about the rest once again at its exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
