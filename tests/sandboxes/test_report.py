"""What the parent of a script tells."""

from __future__ import annotations

import pytest

from runner.sandboxes.report import End, has_started, read_end, signal_name


@pytest.mark.parametrize(
    ("report", "end"),
    [
        ("", None),
        ("started\n", None),
        ('started\n[1]+  Done                    "$@"\nended 0\n', End(0, None)),
        ('started\n[1]+  Exit 3                  "$@"\nended 3\n', End(3, None)),
        ('started\n[1]+  Exit 137                "$@"\nended 137\n', End(137, None)),
        ("started\nended 0\n", End(0, None)),
        ('started\nguard: line 9:  77 Killed                  "$@"\nended 137\n', End(None, "SIGKILL")),
        ('started\n[1]+  Terminated              "$@"\nended 143\n', End(None, "SIGTERM")),
        ("started\nended 137\n", End(None, "SIGKILL")),
        ("started\nended 162\n", End(None, "SIGRTMIN")),
        ("started\nended 170\n", End(None, "SIG42")),
        ("not ended 3\nended x\n", None),
    ],
)
def test_the_end(report, end):
    assert read_end(report) == end


def test_the_start():
    assert has_started("started\n")
    assert has_started("warning\nstarted\n")
    assert not has_started("bwrap: not started\n")


def test_signals_have_names():
    assert [signal_name(n) for n in (1, 9, 15, 41)] == ["SIGHUP", "SIGKILL", "SIGTERM", "SIG41"]
