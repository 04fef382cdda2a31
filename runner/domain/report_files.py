"""Which files a report has, and under which keys they are stored.

A key holds the digest of all that a file's content depends on, so a stored file is never stale and the object store
alone says what exists. What could not be made leaves a note beside the place of the file.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from runner import __version__
from runner.domain.run import Run

LANGUAGES = ("en", "ja", "zh")
FORMATS = ("pdf", "html", "md")
CONTENT_TYPES = {"pdf": "application/pdf", "html": "text/html; charset=utf-8", "md": "text/markdown; charset=utf-8"}

_OUTPUT_ROOT = re.compile(r"[A-Za-z0-9._/-]{1,200}\Z")
_OTHERS = {"papers", "runs", "submissions", "uploads", ".incoming"}
"""Folders of the object store that hold what is no report."""
OUTPUT_ROOT_RULE = (
    "Give a relative prefix of letters, digits, '.', '_', '-' and '/', at most 200 characters, without '.', '..' and "
    "empty parts, that does not begin with papers, runs, submissions or uploads."
)


@dataclass(frozen=True, slots=True)
class ReportRequest:
    """`output_root` is a prefix in the object store; empty means `reports/<run_id>`."""

    languages: tuple[str, ...] = ("en",)
    formats: tuple[str, ...] = FORMATS
    output_root: str = ""

    def files(self) -> list[tuple[str, str]]:
        """(language, format) of every file asked for."""
        return [(language, kind) for language in self.languages for kind in self.formats]

    def digest(self) -> str:
        """Short, and made of hex digits alone: part of a job's name."""
        asked = "\n".join((",".join(self.languages), ",".join(self.formats), self.output_root))
        return hashlib.sha256(asked.encode()).hexdigest()[:16]


def is_output_root(text: str) -> bool:
    """Whether `text` may be a prefix by `OUTPUT_ROOT_RULE`: reports never land among what is none."""
    parts = text.split("/")
    return _OUTPUT_ROOT.match(text) is not None and not {"", ".", ".."} & {*parts} and parts[0] not in _OTHERS


def key(run: Run, reviews: Iterable[str], request: ReportRequest, language: str, kind: str) -> str:
    """`<output_root>/<report_id>.<ext>`. The report id covers run, its end, reviews, renderer, language and format."""
    parts = [run.run_id, str(run.finished_at), *reviews, __version__, language, kind]
    report_id = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
    return f"{request.output_root or f'reports/{run.run_id}'}/{report_id}.{kind}"


def note_key(key: str) -> str:
    """Where the reason stands why the file `key` could not be made: `{"code", "message", "at": <unix seconds>}`."""
    return f"{key}.note.json"


def file_name(run: Run, language: str, kind: str) -> str:
    """The name shown to people; ids only, never a title."""
    return f"reprise-{run.paper_id}-{run.run_id}-{language}.{kind}"
