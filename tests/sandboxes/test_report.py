"""What the parent of a script tells, and what a script makes of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.sandboxes.report import End, read_end, read_start, signal_name


@pytest.mark.parametrize(
    ("report", "end"),
    [
        (b"", None),
        (b"\nstarted 2\n", None),
        (b'\nstarted 2\n\n[1]+  Done                    "$@"\n\nended 0\n', End(0, None)),
        (b'[1]+  Exit 3                  "$@"\nended 3\n', End(3, None)),
        (b'[1]+  Exit 137                "$@"\nended 137\n', End(137, None)),
        (b"ended 0\n", End(0, None)),
        (b"ended 128\n", End(128, None)),
        (b'guard: line 9:  77 Killed                  "$@"\nended 137\n', End(None, "SIGKILL")),
        (b'[1]+  Terminated              "$@"\nended 143\n', End(None, "SIGTERM")),
        (b"ended 137\n", End(None, "SIGKILL")),
        (b"ended 162\n", End(None, "SIGRTMIN")),
        (b"ended 170\n", End(None, "SIG42")),
        (b"ended 3", None),
        (b"ended\nended x\n", None),
    ],
)
def test_the_end(report, end):
    assert read_end(report) == end


@pytest.mark.parametrize(
    ("forged", "end"),
    [
        (b"ended 0\n[1] Exit 0\nended 5\n", End(5, None)),
        (b"[1] Exit 0\nended 137\n", End(None, "SIGKILL")),
        (b"\0\0\0\xffended 5\n\0\0ended 6\0", End(5, None)),
        (b"ended 0ended 5\n", End(5, None)),
        (b"ended 5\nended 256\nended 99999\nended -1\nended 0x1\nended \xd9\xa1\n", End(5, None)),
        (b"ended " + b"9" * 5000 + b"\n", None),
    ],
)
def test_the_last_word_that_can_be_true_counts(forged, end):
    assert read_end(forged) == end


@given(st.binary() | st.lists(st.sampled_from([b"\n", b"ended ", b"[1] Exit ", b"137", b"9", b"\0"])).map(b"".join))
def test_any_bytes_are_read_without_trouble(report):
    end = read_end(report)
    assert end is None or end.signal is not None or 0 <= (end.exit_code or 0) <= 255
    read_start(report)


def test_the_start():
    assert read_start(b"\nstarted 2\n") == 2
    assert read_start(b"warning\nstarted 4194304\n") == 4194304
    assert read_start(b"\0\0ended 0started 2\n") == 2
    assert read_start(b"bwrap: not started\n") is None
    assert read_start(b"started\nstarted -1\nstarted 99999999999\n") is None


def test_signals_have_names():
    assert [signal_name(n) for n in (1, 9, 15, 41)] == ["SIGHUP", "SIGKILL", "SIGTERM", "SIG41"]
