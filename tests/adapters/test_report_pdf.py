"""PDFs of report pages, made by a child process that may die, hang or lack fonts."""

from __future__ import annotations

import io
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time
from typing import Any

import psutil
import pypdf
import pytest

from runner.adapters import report_pdf
from runner.adapters.report_pdf import Limits, render_pdf
from runner.domain.errors import Unavailable
from runner.stages import report

STORED = pathlib.Path(__file__).parents[1] / "stages" / "data" / "finished_run.json"
SHORT = "<!doctype html><html lang=en><title>t</title><body><p>Hello</p></body></html>"


@pytest.fixture(scope="module")
def model() -> report.ReportModel:
    stored: dict[str, Any] = json.loads(STORED.read_text("utf-8"))
    names = ("paper", "run", "results", "rubric", "log_tail")
    return report.build(*(stored[name] for name in names), version="0.1.0")


def refused(html: str = SHORT, **more: Any) -> Unavailable:
    with pytest.raises(Unavailable) as caught:
        render_pdf(html, "en", "run_x", **more)
    return caught.value


def fonts_conf(folder: pathlib.Path, fonts: pathlib.Path) -> pathlib.Path:
    conf = folder / "fonts.conf"
    conf.write_text(f"<fontconfig><dir>{fonts}</dir><cachedir>{folder / 'cache'}</cachedir></fontconfig>", "utf-8")
    return conf


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "word", "face"),
    [
        ("en", "Reproduction report", "Noto-Sans"),
        ("ja", "再現", "Noto-Sans-CJK-JP"),
        ("zh", "复现", "Noto-Sans-CJK-SC"),
    ],
)
def test_each_language_has_its_own_faces_its_text_and_its_name(
    model: report.ReportModel, language: str, word: str, face: str
) -> None:
    pdf = render_pdf(report.render_html(model, language, printed=True), language, model.run_id)
    reader = pypdf.PdfReader(io.BytesIO(pdf))
    faces = {str(font["/BaseFont"]).partition("+")[2] for page in reader.pages for font in _fonts(page)}
    assert word in reader.pages[0].extract_text()
    assert face in faces
    assert not [name for name in faces if "CJK" in name and {"ja": "JP", "zh": "SC", "en": "JP"}[language] not in name]
    assert str(reader.trailer["/Root"]["/Lang"]) == {"en": "en", "ja": "ja", "zh": "zh-Hans"}[language]
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert reader.outline
    assert reader.attachments == {}
    assert model.run_id in reader.pages[-1].extract_text()


def _fonts(page: pypdf.PageObject) -> list[Any]:
    return [font.get_object() for font in page["/Resources"].get_object().get("/Font", {}).get_object().values()]


@pytest.mark.slow
def test_the_same_page_gives_the_same_bytes() -> None:
    assert render_pdf(SHORT, "en", "run_x") == render_pdf(SHORT, "en", "run_x")


@pytest.mark.slow
def test_the_renderer_fetches_nothing(shared_data: pathlib.Path) -> None:
    page = (shared_data / "cases/reports/weasy_all_fetches.html").read_text("utf-8")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.2)
        port = listening.getsockname()[1]
        pdf = render_pdf(page.replace("127.0.0.1:9", f"127.0.0.1:{port}"), "en", "run_x")
        with pytest.raises(TimeoutError):
            listening.accept()
    assert pypdf.PdfReader(io.BytesIO(pdf)).attachments == {}


@pytest.mark.slow
def test_characters_without_a_font_are_named(tmp_path: pathlib.Path) -> None:
    latin = pathlib.Path("/usr/share/fonts/truetype/dejavu")
    if not latin.is_dir():
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)("apt-get install fonts-dejavu-core")
    error = refused("<!doctype html><html lang=ja><p>再現", fontconfig=fonts_conf(tmp_path, latin))
    assert error.code == "report_glyph_missing"
    assert error.facts["characters"] == ["再 (U+518D)", "現 (U+73FE)"]
    assert "fonts-noto-cjk" in error.message


@pytest.mark.slow
def test_a_system_without_fonts_crashes_the_child_alone(tmp_path: pathlib.Path) -> None:
    (tmp_path / "none").mkdir()
    assert refused(fontconfig=fonts_conf(tmp_path, tmp_path / "none")).code == "report_renderer_crashed"


@pytest.mark.slow
def test_a_child_that_takes_too_long_is_killed_and_leaves_no_process() -> None:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    started = time.monotonic()
    assert refused(limits=Limits(wall_s=0.3)).code == "report_timeout"
    assert time.monotonic() - started < 5
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before


@pytest.mark.slow
def test_processor_time_ends_the_child(model: report.ReportModel) -> None:
    page = "<!doctype html><p>" + "<div><p>word word</p></div>" * 20_000
    assert refused(page, limits=Limits(cpu_s=2)).code == "report_timeout"


@pytest.mark.slow
def test_a_pdf_that_grows_too_large_is_refused() -> None:
    assert refused(limits=Limits(output_bytes=1_000)).code == "report_too_big"


@pytest.mark.slow
def test_it_works_from_a_thread() -> None:
    made: list[bytes] = []
    thread = threading.Thread(target=lambda: made.append(render_pdf(SHORT, "en", "run_x")))
    thread.start()
    thread.join(60)
    assert made[0].startswith(b"%PDF-")


@pytest.mark.slow
def test_a_missing_library_is_told_with_the_way_out(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The child runs in a folder whose `weasyprint` cannot be imported, as when Pango is not installed."""
    package = tmp_path / "weasyprint.py"
    package.write_text("raise OSError('cannot load library libpango-1.0-0')", "utf-8")
    root = report_pdf._PACKAGE_PARENT
    (tmp_path / "runner").symlink_to(root / "runner")
    monkeypatch.setattr(report_pdf, "_PACKAGE_PARENT", tmp_path)
    error = refused()
    assert error.code == "report_renderer_missing"
    assert "libpango" in error.message


def test_importing_the_adapter_does_not_import_weasyprint() -> None:
    code = "import sys, runner.adapters.report_pdf; sys.exit('weasyprint' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=report_pdf._PACKAGE_PARENT, timeout=30).returncode == 0
