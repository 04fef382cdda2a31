"""The verbs in-process on a data folder: no server needed, plain words on errors, JSON where asked."""

from __future__ import annotations

import json
import os
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
        self.data = folder / "data"

    def __call__(self, *words: Any, status: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-m", "runner.cli", *map(str, words), "--data-dir", str(self.data)],
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
    done = reprise("report", run_id, "--format", "md", "-o", "/dev/full", status=1)
    assert done.stderr == "Error: /dev/full: No space left on device\n"


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
    assert "[rubric_missing]" in done.stderr
    assert "reprise run PAPER_ID --rubric FILE" in done.stderr
    assert done.stderr.count("has no rubric") == 1


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
    assert before.stdout.splitlines()[1].startswith("p ")


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
    assert odd("papers").stdout.splitlines()[1].startswith("p ")


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """What was wrong, said in a line (click puts a usage line or two above a wrong argument)."""
    return done.stderr.rstrip("\n").splitlines()[-1].removeprefix("Error: ")


def test_a_data_folder_that_cannot_be_made_is_said(reprise: Cli) -> None:
    (reprise.folder / "data").write_text("in the way")
    assert one_line(reprise("up", status=2)).startswith("Invalid value for '--data-dir'")
    reprise.data = pathlib.Path("/proc/x")
    assert reprise("papers", status=1).stderr == "Error: /proc/x: No such file or directory\n"


def test_a_database_of_junk_is_said(reprise: Cli) -> None:
    (reprise.folder / "data").mkdir()
    (reprise.folder / "data/reprise.sqlite3").write_bytes(b"junk" * 300)
    done = reprise("papers", status=1)
    assert done.stderr.startswith("Error: The database reprise.sqlite3 cannot be opened: file is not a database.")


def test_an_env_file_in_another_encoding_is_said(reprise: Cli) -> None:
    (reprise.folder / ".env").write_bytes(b"REPRISE_HOST=\xff")
    assert one_line(reprise("papers", status=2)) == "The file .env must be UTF-8."


@pytest.mark.parametrize(
    "name,value,accepted",
    [
        ("DATABASE_URL", "zz", "sqlite:///PATH or postgresql+psycopg://"),
        ("DATABASE_URL", "mysql://u:secret@h/d", "sqlite:///PATH or postgresql+psycopg://"),
        ("DATABASE_URL", "postgresql://u:secret@h:x/d", "sqlite:///PATH or postgresql+psycopg://"),
        ("REDIS_URL", "zz", "redis://HOST:PORT/0, rediss://HOST:PORT/0 or unix:///PATH"),
        ("REDIS_URL", "http://u:secret@h", "redis://HOST:PORT/0"),
        ("REDIS_URL", "redis://u:secret@h:99999", "redis://HOST:PORT/0"),
        ("SECRET_KEY", "secret", "at least 16 characters"),
    ],
)
def test_an_address_or_key_that_cannot_work_stops_the_start_unshown(
    reprise: Cli, name: str, value: str, accepted: str
) -> None:
    done = reprise("papers", status=2, **{f"REPRISE_{name}": value})
    assert one_line(done).startswith(f"REPRISE_{name}=(hidden): {accepted}")
    assert "secret" not in done.stderr


@pytest.mark.parametrize("verb", [["worker"], ["up", "--port", "18998"]])
def test_a_redis_that_is_not_there_is_said_at_the_start(reprise: Cli, verb: list[str]) -> None:
    done = reprise(*verb, status=1, REPRISE_REDIS_URL="redis://:secret@127.0.0.1:1/0")
    assert "Redis does not answer" in one_line(done)
    assert "[queue_unavailable]" in one_line(done)
    assert "secret" not in done.stderr
    assert done.stdout == ""


def test_a_full_disk_is_said_and_a_reader_that_left_is_not(reprise: Cli) -> None:
    reprise("import", "notes", "--title", "T", "--id", "p")
    command = [sys.executable, "-m", "runner.cli", "papers", "--data-dir", str(reprise.folder / "data")]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=reprise.folder)
    assert (done.returncode, done.stderr) == (1, "Error: No space left on device\n")
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb") as pipe:
        done = subprocess.run(command, stdout=pipe, stderr=subprocess.PIPE, text=True, cwd=reprise.folder)
    assert done.stderr == ""


def test_a_report_goes_into_a_folder_that_is_there(reprise: Cli) -> None:
    reprise("import", "notes", "--title", "T", "--id", "p")
    run_id = json.loads(reprise("run", "p", "--rubric", "rubric.json", "--submission", "submission", "--json").stdout)[
        "job_ids"
    ][0]
    done = reprise("report", run_id, "-o", "none/r.pdf", status=2)
    assert one_line(done) == "Invalid value for -o: there is no folder none"
    assert not (reprise.folder / "none").exists()
    assert "[results_not_available]" in reprise("report", run_id, "-o", "r.pdf", status=1).stderr


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "x" * 201])
def test_a_keys_name_is_one_short_line(reprise: Cli, name: str) -> None:
    assert "[invalid_value]" in reprise("keys", "create", "--scope", "run", "--name", name, status=1).stderr
    assert json.loads(reprise("keys", "list", "--json").stdout) == []


def test_a_signing_key_that_others_can_read_is_refused(reprise: Cli) -> None:
    reprise("papers")
    (reprise.folder / "data/secret.key").chmod(0o644)
    assert f"chmod 600 {reprise.folder}/data/secret.key" in one_line(reprise("papers", status=1))
