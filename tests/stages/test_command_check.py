"""A rubric's command runs on a copy of the tree, and its standard output counts."""

from __future__ import annotations

import os
from types import SimpleNamespace

import pytest

from runner.domain.checks import CommandOutcome
from runner.sandboxes.bubblewrap import Bubblewrap
from runner.sandboxes.local import Local
from runner.stages.command_check import STDOUT_LIMIT_BYTES, run_command

RUN = SimpleNamespace(run_id="run_1", paper_id="paper-1")


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "place/submission"
    root.mkdir(parents=True)
    (root / "data.txt").write_text("42\n")
    return root


def run(tree, *argv: str, timeout_s: int = 20, sandbox=None) -> CommandOutcome:
    return run_command(sandbox or Local(), argv, tree, timeout_s, RUN, lambda: False)


def test_exit_code_and_standard_output(tree):
    script = "cat data.txt; echo noise >&2; exit 3"
    assert run(tree, "bash", "-c", script) == CommandOutcome(3, b"42\n")


def test_arguments_are_no_shell_code(tree):
    assert run(tree, "echo", "$HOME; rm x", "'") == CommandOutcome(0, b"$HOME; rm x '\n")


def test_the_executed_tree_is_not_changed_and_no_copy_is_left(tree):
    run(tree, "bash", "-c", "echo changed > data.txt; mkdir shut; chmod 0 shut")
    assert (tree / "data.txt").read_text() == "42\n"
    assert os.listdir(tree.parent) == ["submission"]


def test_a_pipe_in_the_tree_does_not_hold_it_up(tree):
    os.mkfifo(tree / "pipe")
    assert run(tree, "true").exit_code == 0


def test_a_command_that_runs_into_its_limit_has_no_exit_code(tree):
    assert run(tree, "sleep", "60", timeout_s=1).exit_code is None


def test_of_a_long_output_the_first_mebibyte_counts(tree):
    outcome = run(tree, "head", "-c", "3000000", "/dev/zero")
    assert (outcome.exit_code, len(outcome.stdout)) == (0, STDOUT_LIMIT_BYTES)


def test_a_program_that_is_not_there(tree):
    assert run(tree, "no-such-program").exit_code == 127


def test_a_sandbox_that_does_not_start_is_told(tree):
    outcome = run(tree, "true", sandbox=Bubblewrap(program="no-such-bwrap"))
    assert outcome.unavailable_reason == "bwrap is not installed"
