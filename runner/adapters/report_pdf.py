"""PDF from the HTML of a report, by WeasyPrint in a child process (reports-and-exports.md 4).

The child is this same module: `python -m runner.adapters.report_pdf IN OUT ORDER`. Only HTML on disk goes in; a PDF and
one JSON line come out. It opens no address and no file that the HTML names, and runs under limits, because a page may take
for ever, and because Pango dies by SIGSEGV when a system has no font at all.
This is the only module that imports WeasyPrint, and only the child does: the import takes over a second, and the limits
must be set before it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import logging
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runner import parent_death
from runner.domain.errors import Unavailable

_MODULE = "runner.adapters.report_pdf"
_PACKAGE_PARENT = pathlib.Path(__file__).resolve().parents[2]
_MISSING_GLYPH = re.compile(r"\.notdef glyph rendered.*")
_CODE_POINT = re.compile(r"U\+([0-9A-F]{4,6})")
_NAMED_CHARACTERS = 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one rendering may take. Processor time ends the child a little before the wall clock does."""

    wall_s: float = 120
    cpu_s: int = 110
    memory_bytes: int = 2 * 2**30
    files: int = 64
    output_bytes: int = 50_000_000


def render_pdf(
    html: str, language: str, run_id: str, *, limits: Limits = Limits(), fontconfig: pathlib.Path | None = None
) -> bytes:
    """The PDF of a page. `fontconfig` names another fonts.conf than the system's.

    Raises Unavailable: `report_renderer_missing` (no WeasyPrint, no Pango), `report_glyph_missing` (fact `characters`),
    `report_renderer_crashed`, `report_timeout`, `report_too_big`.
    """
    with tempfile.TemporaryDirectory(prefix="reprise-pdf-") as name:
        folder = pathlib.Path(name)
        page, pdf = folder / "report.html", folder / "report.pdf"
        page.write_text(html, "utf-8")
        order = {"identifier": _identifier(run_id, language), "limits": _limit_numbers(limits)}
        arguments = [str(page), str(pdf), json.dumps(order)]
        code, said = _run_child(arguments, _environment(folder, fontconfig), limits.wall_s)
        _refuse_failure(code, said, limits)
        _refuse_missing_glyphs(said, language)
        return pdf.read_bytes()


def _identifier(run_id: str, language: str) -> str:
    return hashlib.sha256(f"{run_id} {language}".encode()).hexdigest()[:32]


def _limit_numbers(limits: Limits) -> dict[str, int]:
    return {
        "RLIMIT_CPU": limits.cpu_s,
        "RLIMIT_AS": limits.memory_bytes,
        "RLIMIT_NOFILE": limits.files,
        "RLIMIT_FSIZE": limits.output_bytes,
    }


def _environment(folder: pathlib.Path, fontconfig: pathlib.Path | None) -> dict[str, str]:
    """Nothing of this process's own environment."""
    given = {"FONTCONFIG_FILE": str(fontconfig)} if fontconfig else {}
    cache = folder / "cache"
    return {"PATH": os.defpath, "HOME": str(folder), "LANG": "C.UTF-8", "XDG_CACHE_HOME": str(cache), **given}


def _run_child(arguments: list[str], environment: dict[str, str], wall_s: float) -> tuple[int | None, dict[str, Any]]:
    """Exit status (None = the wall clock ended it, its whole group killed) and the JSON line it left."""
    with subprocess.Popen(
        [sys.executable, "-m", _MODULE, *arguments],
        cwd=_PACKAGE_PARENT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as child:
        try:
            out, _ = child.communicate(timeout=wall_s)
        except subprocess.TimeoutExpired:
            return None, {}
        finally:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
    lines = out.decode("utf-8", "replace").splitlines()
    return child.returncode, json.loads(lines[-1]) if lines else {}


def _refuse_failure(code: int | None, said: Mapping[str, Any], limits: Limits) -> None:
    if code == 0:
        return
    if code is None or code == -signal.SIGXCPU:
        raise Unavailable(f"the PDF was not ready within {limits.wall_s:g} s", "report_timeout")
    match said.get("error"):
        case "too_big":
            raise Unavailable("the PDF needs more room than one report may take", "report_too_big")
        case "renderer_missing":
            sentence = "WeasyPrint or its library Pango is missing: install libpango-1.0-0 and libpangoft2-1.0-0"
            raise Unavailable(sentence, "report_renderer_missing")
    sentence = "the PDF renderer ended unexpectedly, as it does on a system without any font: install fonts-noto-core"
    raise Unavailable(sentence, "report_renderer_crashed")


def _refuse_missing_glyphs(said: Mapping[str, Any], language: str) -> None:
    missing = said.get("missing_glyphs") or []
    if missing:
        named = " ".join(missing)
        sentence = f"no installed font has the characters {named} of the report in {language}: install fonts-noto-cjk"
        raise Unavailable(sentence, "report_glyph_missing", characters=missing)


# ---- the child


def main(arguments: list[str]) -> int:
    """Reads IN, writes OUT, prints one JSON line: `missing_glyphs`, or `error`."""
    parent_death.follow(signal.SIGKILL)
    page, pdf, order = pathlib.Path(arguments[0]), pathlib.Path(arguments[1]), json.loads(arguments[2])
    for name, value in order["limits"].items():
        hard = value + 5 if name == "RLIMIT_CPU" else value  # SIGXCPU at the soft limit tells it from a SIGKILL
        resource.setrlimit(getattr(resource, name), (value, hard))
    try:
        return _say({"missing_glyphs": _write(page, pdf, bytes.fromhex(order["identifier"]))}, 0)
    except MemoryError:
        return _say({"error": "too_big"}, 1)
    except OSError as error:
        if error.errno != errno.EFBIG:
            raise
        return _say({"error": "too_big"}, 1)
    except _RendererMissing:
        return _say({"error": "renderer_missing"}, 1)


class _RendererMissing(Exception):
    """WeasyPrint cannot be imported, or does not find Pango."""


def _write(page: pathlib.Path, pdf: pathlib.Path, identifier: bytes) -> list[str]:
    """Writes the PDF; returns the characters no font could draw."""
    try:
        import weasyprint
        from weasyprint.urls import URLFetcher
    except (ImportError, OSError) as error:
        raise _RendererMissing from error
    heard = _listen()
    fetcher = URLFetcher(allowed_protocols=("data",), allow_redirects=False, fail_on_errors=False)
    document = weasyprint.HTML(string=page.read_text("utf-8"), base_url="about:blank", url_fetcher=fetcher)
    document.write_pdf(pdf, pdf_tags=True, pdf_identifier=identifier)
    return heard.missing()


class _Glyphs(logging.Handler):
    """Hears of characters that no font could draw."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self._found: dict[str, None] = {}

    def emit(self, record: logging.LogRecord) -> None:
        for message in _MISSING_GLYPH.findall(record.getMessage()):
            self._found.update(dict.fromkeys(_CODE_POINT.findall(message)))

    def missing(self) -> list[str]:
        return [f"{chr(int(point, 16))} (U+{point})" for point in list(self._found)[:_NAMED_CHARACTERS]]


def _listen() -> _Glyphs:
    handler, logger = _Glyphs(), logging.getLogger("weasyprint")
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(logging.DEBUG)
    return handler


def _say(line: Mapping[str, Any], status: int) -> int:
    sys.stdout.write(json.dumps(line) + "\n")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
