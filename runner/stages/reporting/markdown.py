"""The report as Markdown: CommonMark with pipe tables. A figure is replaced by its table."""

from __future__ import annotations

import functools
import re

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from runner.stages.reporting.model import ReportModel
from runner.stages.reporting.words import Words

_SPECIAL = re.compile(r"[\\`*_{}\[\]<>()#+\-.!|~&]")
_IDENTIFIER = re.compile(r"[\w./:@+-]+\Z")
_BACKTICKS = re.compile("`+")
_FENCE = re.compile("```+")


def render(model: ReportModel, language: str) -> str:
    """UTF-8 text with LF, ending with one newline."""
    text = _environment(language).get_template("markdown/report.md").render(model=model, t=_words(language))
    return _tidy(text)


def escape(text: str) -> Markup:
    """Data as literal text on one line: everything that could mean something in Markdown gets a backslash."""
    return Markup(_SPECIAL.sub(r"\\\g<0>", " ".join(text.split())))


def code(text: str | None) -> Markup | None:
    """An identifier, path or digest as code, if nothing in it could end the code or the table cell."""
    return text if text is None else Markup(f"`{text}`") if _IDENTIFIER.match(text) else escape(text)


def fence(text: str) -> Markup:
    """`text` word for word in a fence longer than any run of backticks inside."""
    marks = "`" * max([3, *(len(run) + 1 for run in _BACKTICKS.findall(text))])
    return Markup(f"{marks}text\n{text}\n{marks}")


def _tidy(text: str) -> str:
    """One blank line at most in a row and no space at a line's end, except inside fences."""
    kept: list[str] = []
    fence_mark = ""
    for line in text.strip("\n").split("\n"):
        mark = _FENCE.match(line)
        if fence_mark:
            fence_mark = "" if line == fence_mark else fence_mark
            kept.append(line)
            continue
        fence_mark = mark[0] if mark else ""
        if line.strip() or (kept and kept[-1]):
            kept.append(line.rstrip())
    return "\n".join(kept) + "\n"


@functools.cache
def _words(language: str) -> Words:
    return Words(language, escape, " ")


@functools.cache
def _environment(language: str) -> Environment:
    environment = Environment(
        loader=PackageLoader("runner", "templates/report"),
        autoescape=True,  # makes macros give Markup; `finalize` has escaped everything before
        undefined=StrictUndefined,
        finalize=_words(language).show,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["fence"] = fence
    environment.filters["code"] = code
    return environment
