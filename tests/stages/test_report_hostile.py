"""Text of strangers is shown as text, in all formats."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any

import pytest
from markdown_it import MarkdownIt

from runner.stages import report
from runner.stages.reporting import explanation, markdown, plain_text

Stored = dict[str, Any]
EVIL = (
    "</style><script>alert(1)</script> {{7*7}} {% raw %} ${7*7} | a `b` *c* _d_ [x](javascript:alert(1)) &lt; # ~~e~~"
)
ACTIVE = re.compile(
    r"<script|<iframe|<object|\bsrc\s*=\s*[\"']?(https?:)?//|<link[^>]+href\s*=\s*[\"']?(https?:)?//|@import"
    r"|url\(\s*[\"']?(https?:)?//|\bon\w+\s*=|javascript:[^<]*\"",
    re.IGNORECASE,
)


def build(stored: Stored) -> report.ReportModel:
    return report.build(
        stored["paper"], stored["run"], stored["results"], stored["rubric"], stored["log_tail"], "0.1.0"
    )


@pytest.fixture
def poisoned(troubled: Stored) -> Stored:
    """Hostile text in every place that strangers write to."""
    results = troubled["results"]
    troubled["paper"] |= {
        "title": EVIL,
        "authors": [EVIL, "\u202eevil\u202c"],
        "venue": EVIL,
        "license": EVIL,
        "spdx": None,
    }
    for leaf in results["leaves"]:
        leaf |= {"requirements": EVIL, "explanation": EVIL, "evidence": [{"path": EVIL, "line": 3}]}
    for claim in results["claims"]:
        claim |= {"text": EVIL}
    for measurement in results["measurements"]:
        measurement |= {"metric": EVIL, "unit": EVIL, "dimensions": {EVIL: EVIL}}
    results["reproduce"]["produced"][0]["path"] = EVIL
    troubled["log_tail"] = ["`" * 50, EVIL, "\x1b[31mred\x1b[0m", "10 %\r20 %\r30 %", "x" * 1000]
    return troubled


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_html_shows_hostile_text_and_nothing_is_active(poisoned: Stored, language: str) -> None:
    page = report.render_html(build(poisoned), language)
    without_style = re.sub(r"<style>.*?</style>", "", page, count=1, flags=re.DOTALL)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; {{7*7}} {% raw %} ${7*7}" in page
    assert not re.search(r"<script|<img|<iframe|<object|<a [^>]*href=\"(?!#|https?:)", page, re.IGNORECASE)
    assert without_style.count("<style") == 0
    assert "\u202e" not in page


def test_html_of_an_ordinary_run_asks_for_nothing(finished: Stored) -> None:
    page = report.render_html(build(finished), "en")
    assert not ACTIVE.search(page)
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page
    assert '<meta name="robots" content="noindex">' in page


def test_markdown_renders_hostile_text_literally(poisoned: Stored) -> None:
    text = report.render_markdown(build(poisoned), "en")
    page = MarkdownIt("commonmark").enable("table").render(text)
    before, _, after = text.split("`" * 51)
    assert "](javascript:" not in before + after
    assert not re.search(r"<(script|a|img|del|s)\b", page)
    assert "&lt;/style&gt;&lt;script&gt;alert(1)&lt;/script&gt; {{7*7}}" in page
    assert "a `b` *c* _d_ [x](javascript:alert(1)) &amp;lt; # ~~e~~" in page
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\r" not in text


def test_the_log_stays_inside_its_fence(poisoned: Stored) -> None:
    text = report.render_markdown(build(poisoned), "en")
    fence = "`" * 51
    log = text.split(fence)[1]
    assert log.startswith("text\n" + "`" * 50 + "\n")
    assert EVIL in log
    assert "\nred\n30 %\n" in log
    assert max(map(len, log.splitlines())) <= 400


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_shared_hostile_metadata_is_literal(finished: Stored, shared_data: pathlib.Path, language: str) -> None:
    bad = json.loads((shared_data / "cases/reports/hostile_paper_metadata.json").read_text("utf-8"))
    finished["paper"] |= {**bad, "spdx": None}
    model = build(finished)
    page, text = report.render_html(model, language), report.render_markdown(model, language)
    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "{{7*7}}" in page
    assert "](javascript:" not in text


def test_bidi_and_control_characters_are_removed_but_not_tabs() -> None:
    assert plain_text.clean("a\u202eb\u2066c\x00d\x1be\tf\ng\ud800") == "abcde\tf\ng\ufffd"


def test_an_explanation_of_a_model_may_use_a_little_markdown_and_no_more() -> None:
    found = explanation.to_html("**yes** `x` <b>no</b> [l](https://e.org) ![i](https://e.org/i.png)\n\n- a\n")
    assert found.startswith("<p><strong>yes</strong> <code>x</code> &lt;b&gt;no&lt;/b&gt;")
    assert "<li>a</li>" in found
    assert "<a" not in found
    assert "<img" not in found


def test_an_explanation_of_a_rule_is_plain_text(finished: Stored) -> None:
    finished["results"]["leaves"][0]["explanation"] = "No file matches *out*/_a_.csv and <b>."
    assert "No file matches *out*/_a_.csv and &lt;b&gt;. Judged by a rule." in report.render_html(build(finished), "en")


def test_identifiers_are_code_unless_they_could_end_it() -> None:
    assert markdown.code("out/a.csv:3") == "`out/a.csv:3`"
    assert markdown.code("a|b`c") == "a\\|b\\`c"
