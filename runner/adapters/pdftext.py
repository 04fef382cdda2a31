"""Looking into PDFs with pypdf, in a child process whose time and memory are bounded: a hostile file can hang or bloat
the child only."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

from runner.domain.errors import Invalid
from runner.ports import PdfFacts

MAGIC = b"%PDF-"
MAGIC_WITHIN = 1024
TIME_LIMIT_S = 30.0
_CHILD = pathlib.Path(__file__).with_name("pdftext_child.py")
_SENTENCES = {
    "pdf_empty": "The PDF is empty.",
    "pdf_not_a_pdf": "The file is no PDF: it does not begin like one.",
    "pdf_encrypted": "The PDF needs a password: remove it and send the file again.",
    "pdf_damaged": "The PDF is damaged or cut off: its pages cannot be found.",
}


class PdfText:
    """The `inspect` half of the port `Pdfs`."""

    def __init__(self, time_limit_s: float = TIME_LIMIT_S) -> None:
        self._time_limit_s = time_limit_s

    def inspect(self, path: pathlib.Path) -> PdfFacts:
        """Pages, and letters of the first three; a text that cannot be read in time counts as far as it was read.

        Raises Invalid `pdf_empty`, `pdf_not_a_pdf`, `pdf_encrypted`, `pdf_damaged`.
        """
        _check_beginning(path)
        told = self._ask(path)
        if "fault" in told or "pages" not in told:
            raise _unfit(told.get("fault", "pdf_damaged"))
        characters = max(1, told.get("characters", 0))
        return PdfFacts(told["pages"], told.get("letters", 0), told.get("unreadable", 0) / characters)

    def _ask(self, path: pathlib.Path) -> dict[str, Any]:
        """What the child found out before it ended, crashed or was stopped."""
        command = [sys.executable, "-I", str(_CHILD), str(path)]
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"LC_ALL": "C.UTF-8"},
                timeout=self._time_limit_s,
                check=False,
            )
            output = done.stdout
        except subprocess.TimeoutExpired as stopped:
            output = stopped.stdout or b""
        return _merged(output)


def _check_beginning(path: pathlib.Path) -> None:
    with path.open("rb") as file:
        beginning = file.read(MAGIC_WITHIN)
    if not beginning:
        raise _unfit("pdf_empty")
    if MAGIC not in beginning:
        raise _unfit("pdf_not_a_pdf")


def _merged(output: bytes) -> dict[str, Any]:
    """The newest value of each fact; the last line may be cut."""
    told: dict[str, Any] = {}
    for line in output.splitlines(keepends=True):
        if line.endswith(b"\n"):
            told |= json.loads(line)
    return told


def _unfit(code: str) -> Invalid:
    return Invalid(_SENTENCES[code], code)
