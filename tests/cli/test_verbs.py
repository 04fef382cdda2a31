"""The verbs in-process on a data folder: no server needed, plain words on errors, JSON where asked."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest

RUBRIC = {
    "id": "r",
    "requirements": "x",
    "weight": 1,
    "sub_tasks": [
        {
            "id": "l",
            "requirements": "y",
            "weight": 1,
            "sub_tasks": [],
            "task_category": "Code Execution",
            "check": {"kind": "artifact", "path": "out.csv"},
        }
    ],
}


class Cli:
    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def __call__(self, *words: Any, status: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "runner.cli", *map(str, words), "--data-dir", str(self.folder / "data")],
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **variables},
            cwd=self.folder,
        )
        assert done.returncode == status, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done


@pytest.fixture
def reprise(tmp_path: pathlib.Path) -> Cli:
    (tmp_path / "rubric.json").write_text(json.dumps(RUBRIC))
    (tmp_path / "submission").mkdir()
    (tmp_path / "submission/reproduce.sh").write_text("echo hello\necho 1 > out.csv\n")
    return Cli(tmp_path)


def test_a_paper_is_imported_run_and_reported_without_a_server(reprise: Cli) -> None:
    reprise("import", "notes", "--title", " A  paper ", "--id", "p", "--license", "CC BY 4.0", "--author", "山田 花子")
    listed = json.loads(reprise("papers", "--json").stdout)["papers"]
    assert [(p["paper_id"], p["title"], p["spdx"]) for p in listed] == [("p", "A paper", "CC-BY-4.0")]
    done = reprise("run", "p", "--rubric", "rubric.json", "--submission", "submission", "--wait")
    lines = done.stdout.splitlines()
    assert any(line.endswith(" reproduce hello") for line in lines)
    run_id = lines[-1].split()[0]
    assert lines[-1] == f"{run_id} completed: score 100.0 %, coverage 100.0 %"
    assert json.loads(reprise("runs", "--json").stdout)["runs"][0]["job_id"] == run_id
    assert " reproduce hello" in reprise("logs", run_id, "--follow").stdout
    reprise("report", run_id, "--lang", "ja", "--format", "md", "-o", "r.md")
    assert "再現" in (reprise.folder / "r.md").read_text()


def test_a_degraded_run_ends_with_status_3(reprise: Cli) -> None:
    reprise("import", "notes", "--title", "T", "--id", "p")
    (reprise.folder / "submission/reproduce.sh").write_text("exit 7\n")
    done = reprise("run", "p", "--rubric", "rubric.json", "--submission", "submission", "--wait", status=3)
    assert "completed (degraded): score 0.0 %, coverage 100.0 %. reproduce.sh ended with exit code 7." in done.stdout
    assert "exit code 7" in done.stdout


def test_results_are_json_alone_when_asked(reprise: Cli) -> None:
    reprise("import", "notes", "--title", "T", "--id", "p")
    done = reprise("run", "p", "--rubric", "rubric.json", "--submission", "submission", "--wait", "--json")
    assert json.loads(done.stdout)["ors_score"] == 1


@pytest.mark.parametrize(
    "words,expected",
    [
        (("run", "ghost"), "paper_not_found"),
        (("logs", "nonsense"), "run_not_found"),
        (("report", "nonsense"), "run_not_found"),
        (("keys", "revoke", "key_x"), "key_not_found"),
    ],
)
def test_what_is_unknown_is_said_in_one_line(reprise: Cli, words: tuple[str, ...], expected: str) -> None:
    done = reprise(*words, status=1)
    assert expected in done.stderr


def test_a_launch_that_is_refused_names_field_and_way_out(reprise: Cli) -> None:
    reprise("import", "notes", "--title", "T", "--id", "p")
    done = reprise("run", "p", "--submission", "submission", status=1)
    assert "PUT /papers/p/rubric" in done.stderr
    assert "[rubric_missing]" in done.stderr


def test_a_bad_rubric_is_named_by_node(reprise: Cli) -> None:
    reprise("import", "notes", "--title", "T", "--id", "p")
    bad = {**RUBRIC, "sub_tasks": [{**RUBRIC["sub_tasks"][0], "weight": -1}]}  # type: ignore[index]
    (reprise.folder / "rubric.json").write_text(json.dumps(bad))
    done = reprise("run", "p", "--rubric", "rubric.json", status=1)
    assert "weight_invalid" in done.stderr


def test_an_unsafe_id_is_refused(reprise: Cli) -> None:
    assert "--id" in reprise("import", "x", "--title", "T", "--id", "..", status=2).stderr


def test_a_key_is_alone_on_the_last_line_and_can_be_revoked(reprise: Cli) -> None:
    done = reprise("keys", "create", "--scope", "run", "--scope", "admin", "--name", "laptop")
    secret = done.stdout.splitlines()[-1]
    assert secret.startswith("rk_")
    assert secret not in done.stderr
    row = json.loads(reprise("keys", "list", "--json").stdout)[0]
    assert (row["name"], row["scopes"], row["revoked_at"]) == ("laptop", ["run", "admin"], None)
    reprise("keys", "revoke", row["key_id"])
    assert json.loads(reprise("keys", "list", "--json").stdout)[0]["revoked_at"]
    assert secret not in (reprise.folder / "data/reprise.sqlite3").read_bytes().decode("latin-1")


def test_the_data_folder_may_be_given_before_or_after_the_verb(reprise: Cli) -> None:
    reprise("import", "notes", "--title", "T", "--id", "p")
    before = subprocess.run(
        [sys.executable, "-m", "runner.cli", "--data-dir", str(reprise.folder / "data"), "papers"],
        capture_output=True,
        text=True,
        cwd=reprise.folder,
    )
    assert before.stdout.startswith("p ")


def test_a_wrong_setting_stops_with_one_line(reprise: Cli) -> None:
    done = reprise("papers", status=2, REPRISE_PORT="abc")
    assert "REPRISE_PORT='abc': input should be a valid integer" in done.stderr
    done = reprise("papers", status=2, REPRISE_SANDBOX="jail")
    assert "REPRISE_SANDBOX='jail'" in done.stderr


def test_up_refuses_an_open_address_without_a_key(reprise: Cli) -> None:
    done = reprise("up", "--host", "0.0.0.0", "--port", "18999", status=1)
    assert "reprise keys create" in done.stderr
    assert "reprise keys create" in reprise("up", status=1, REPRISE_AUTH="key").stderr


def test_a_folder_with_odd_characters_works(reprise: Cli) -> None:
    odd = Cli(reprise.folder / "a%20b'c #?d")
    odd.folder.mkdir()
    odd("import", "notes", "--title", "T", "--id", "p")
    assert odd("papers").stdout.startswith("p ")
