"""A script's output on its way into the log: in order, in batches, late lines and secrets included."""

from __future__ import annotations

import pathlib
import time
from datetime import UTC, datetime

import pytest

from runner.adapters.clock import SystemClock
from runner.domain.errors import Conflict, Unavailable
from runner.domain.masking import Masker
from runner.domain.run import Attempt, Level, LogStage
from runner.stages.log_pump import LogPump
from runner.stages.raw_log import RawLog

ATTEMPT = Attempt("run_1", "reproduce", 1, "running", "first", datetime(2026, 1, 1, tzinfo=UTC), "worker")


class Recorder:
    """A run log that notes batches, and is away for the first `failures` calls."""

    def __init__(self, failures: int = 0) -> None:
        self.batches: list[list[str]] = []
        self.failures = failures
        self.is_lost = False

    def append(self, run_id: str, lines: list[tuple[object, Level, LogStage, str]], attempt: Attempt) -> int:
        if self.is_lost:
            raise Conflict("given up", "attempt_lost")
        if self.failures:
            self.failures -= 1
            raise Unavailable("away", "storage_unavailable")
        self.batches.append([line[3] for line in lines])
        return 0

    @property
    def lines(self) -> list[str]:
        return [line for batch in self.batches for line in batch]


def pump(log: Recorder, **more: object) -> LogPump:
    return LogPump(log, SystemClock(), ATTEMPT, Masker(["secret-value-1234"]), **more)  # type: ignore[arg-type]


def test_many_lines_go_in_order_and_in_batches() -> None:
    log = Recorder()
    with pump(log) as shown:
        for start in range(0, 20_000, 1000):
            shown.write("".join(f"line {n}\n" for n in range(start, start + 1000)).encode())
    assert log.lines == [f"line {n}" for n in range(20_000)]
    assert max(map(len, log.batches)) <= 5_000


def test_a_line_without_its_end_is_shown_after_a_second_and_not_repeated() -> None:
    log = Recorder()
    with pump(log) as shown:
        shown.write(b"waiting for input")
        until = time.monotonic() + 5
        while not log.lines:
            assert time.monotonic() < until
            time.sleep(0.02)
        shown.write(b" ... done\nnext\n")
    assert "".join(log.lines).count("waiting for input") == 1
    assert log.lines[-1] == "next"


def test_secrets_are_masked_before_anything_is_stored() -> None:
    log = Recorder()
    with pump(log) as shown:
        shown.write(b"key=secret-value-")
        shown.write(b"1234 end\n")
    assert log.lines == ["key=[masked] end"]


def test_lines_wait_while_the_database_is_away_for_a_moment() -> None:
    log = Recorder(failures=2)
    with pump(log) as shown:
        shown.write(b"a\n")
        until = time.monotonic() + 5
        while not log.lines:
            assert time.monotonic() < until
            time.sleep(0.02)
    assert log.lines == ["a"]


def test_a_database_that_stays_away_is_an_error_of_the_stage() -> None:
    with pytest.raises(Unavailable), pump(Recorder(failures=10_000)) as shown:
        shown.write(b"a\n")


def test_beyond_the_limit_one_line_says_so() -> None:
    log = Recorder()
    with pump(log, shown_lines=3) as shown:
        for n in range(10):
            shown.write(f"{n}\n".encode())
    assert log.lines[:3] == ["0", "1", "2"]
    assert len(log.lines) == 4
    assert "reproduce.log goes on" in log.lines[3]


def test_the_raw_log_keeps_bytes_masks_secrets_and_ends_at_its_limit(tmp_path: pathlib.Path) -> None:
    with RawLog(tmp_path / "log", 30, Masker(["secret-value-1234"])) as raw:
        for part in (b"\x00\xff secret-", b"value-1234 ", b"x" * 100):
            raw.write(part)
    assert (tmp_path / "log").read_bytes() == b"\x00\xff [masked] " + b"x" * 18
    assert (raw.masked, raw.left_out_bytes) == (1, 82)


def test_an_attempt_that_was_given_up_stores_nothing_more() -> None:
    log = Recorder()
    with pump(log) as shown:
        log.is_lost = True
        shown.write(b"too late\n" * 6000)
    assert log.lines == []
    assert shown.lost


def test_a_line_that_never_ends_is_shown_less_and_less_often() -> None:
    log = Recorder()
    with pump(log) as shown:
        until = time.monotonic() + 4
        while time.monotonic() < until:
            shown.write(b".")
            time.sleep(0.05)
    assert 1 <= len(log.lines) <= 4
