"""The example says what it computes, but for one value; see runner/example/README.md."""

from __future__ import annotations

import csv
import io
import json
import pathlib
import re
import subprocess
import sys
from decimal import Decimal
from typing import Any

import pypdf
import pytest

from runner import example
from runner.domain import given_rubric

WRONG_ON_PURPOSE = "fading-writes-sieve"


def _leaves(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [leaf for child in node["sub_tasks"] for leaf in _leaves(child)] or [node]


def _source() -> str:
    return (pathlib.Path(example.__file__).parent / "paper.html").read_text("utf-8")


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A copy of the submission after reproduce.sh, with its log."""
    tree = tmp_path_factory.mktemp("submission")
    for path, content in example.submission_files().items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(content)
    path = f"{pathlib.Path(sys.executable).parent}:/usr/bin:/bin"
    run = subprocess.run(
        ["sh", "./reproduce.sh"], cwd=tree, env={"PATH": path}, capture_output=True, text=True, timeout=100, check=True
    )
    (tree / "reproduce.log").write_text(run.stdout, "utf-8")
    return tree


def test_the_paper_has_two_pages_and_its_text_can_be_read() -> None:
    pages = pypdf.PdfReader(io.BytesIO(example.paper_pdf().read_bytes())).pages
    text = " ".join(page.extract_text() for page in pages)
    assert len(pages) == 2
    assert "Arrow of Time" in text
    assert "References" in text


def test_the_rubric_asks_for_claims_measurements_and_all_three_categories() -> None:
    tree = example.rubric()
    leaves = _leaves(tree)
    assert 15 <= len(leaves) <= 30
    assert {leaf["task_category"] for leaf in leaves} == {"Code Development", "Code Execution", "Result Analysis"}
    assert 3 <= sum("claim" in node for node in tree["sub_tasks"]) <= 5
    assert sum("measurement" in leaf for leaf in leaves) >= 4
    assert all("measurement" in leaf or "check" in leaf for leaf in leaves), "every criterion is judged by a rule"


def test_the_rubric_is_accepted_without_a_warning() -> None:
    assert given_rubric.accept(example.rubric()).warnings == ()


def test_the_submission_is_small_complete_and_packed_the_same_each_time() -> None:
    files = example.submission_files()
    assert {"reproduce.sh", "README.md", "study/__main__.py", "study/policies.py"} <= set(files)
    assert not [path for path in files if "__pycache__" in path or path.startswith("out/")]
    assert example.submission_archive() == example.submission_archive()


def test_the_paper_says_what_the_rubric_asks_for() -> None:
    text = re.sub(r"<[^>]+>|&nbsp;", " ", _source())
    for leaf in _leaves(example.rubric()):
        value = leaf.get("measurement", {}).get("reportedValue")
        assert not value or str(value) in text, leaf["id"]


@pytest.mark.slow
def test_exactly_one_reported_value_is_off_by_more_than_its_tolerance(executed: pathlib.Path) -> None:
    rows = json.loads((executed / "measurements.json").read_text("utf-8"))["measurements"]
    written = {row["measurementId"]: row for row in rows}
    off = []
    for leaf in _leaves(example.rubric()):
        if "measurement" not in leaf:
            continue
        wanted = leaf["measurement"]
        observed = _observed(executed, leaf, written)
        reported, tolerance = Decimal(str(wanted["reportedValue"])), wanted["tolerance"]
        relative = isinstance(tolerance, dict)
        limit = abs(reported) * Decimal(str(tolerance["relative"])) if relative else Decimal(str(tolerance))
        assert wanted["measurementId"] not in written or written[wanted["measurementId"]]["unit"] == wanted["unit"]
        if abs(observed - reported) > limit:
            off.append(leaf["id"])
    assert off == [WRONG_ON_PURPOSE]


def _observed(tree: pathlib.Path, leaf: dict[str, Any], written: dict[str, dict[str, Any]]) -> Decimal:
    extract = leaf.get("extract")
    if extract is None:
        return Decimal(str(written[leaf["measurement"]["measurementId"]]["value"]))
    text = (tree / extract["file"]).read_text("utf-8")
    if "regex" in extract:
        found = re.search(extract["regex"], text, re.MULTILINE)
        assert found, leaf["id"]
        return Decimal(found["value"])
    rows = [row for row in csv.DictReader(io.StringIO(text)) if extract["where"].items() <= row.items()]
    assert len(rows) == 1, leaf["id"]
    return Decimal(rows[0][extract["column"]])


@pytest.mark.slow
def test_the_other_checks_of_the_rubric_are_met(executed: pathlib.Path) -> None:
    for leaf in _leaves(example.rubric()):
        check = leaf.get("check", {})
        if check.get("kind") == "regex":
            text = (executed / check["file"]).read_text("utf-8")
            assert len(re.findall(check["pattern"], text, re.MULTILINE)) >= check["min_matches"], leaf["id"]
        if check.get("kind") == "artifact":
            assert (executed / check["path"]).stat().st_size >= check["min_bytes"], leaf["id"]
        if check.get("kind") == "command":
            subprocess.run(check["run"], cwd=executed, capture_output=True, timeout=60, check=True)


@pytest.mark.slow
def test_the_tables_of_the_paper_hold_what_the_submission_computes_but_for_one_cell(executed: pathlib.Path) -> None:
    with open(executed / "out/summary.csv", encoding="utf-8", newline="") as file:
        cells = {(row["workload"], row["policy"]): row for row in csv.DictReader(file)}
    wrong = []
    for label, row in re.findall(r"<tr><th>([^<]+)</th>((?:<td>[\d.]+</td>)+)</tr>", _source()):
        kind, _, workload = label.rpartition(", ")
        policies = ("LRU", "CLOCK", "SIEVE") if kind else ("FIFO", "LRU", "CLOCK", "SIEVE", "MIN")
        column = {"": "hit_ratio", "writes": "writes_per_1000", "idle share": "idle_share"}[kind]
        for policy, value in zip(policies, re.findall(r"[\d.]+", row), strict=True):
            if abs(Decimal(cells[workload, policy][column]) - Decimal(value)) > Decimal("0.051"):
                wrong.append((label, policy))
    assert wrong == [("writes, fading", "SIEVE")]


@pytest.mark.slow
def test_figure_1_of_the_paper_is_the_one_the_submission_draws(executed: pathlib.Path) -> None:
    assert (executed / "out/figure1.svg").read_text("utf-8") in _source()
