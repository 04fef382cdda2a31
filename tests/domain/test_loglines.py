"""From a script's bytes to shown lines."""

from __future__ import annotations

import itertools
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain.loglines import CUT, LINE_BYTES, STATE_BYTES, LineCleaner


def shown(*chunks: bytes) -> list[str]:
    cleaner = LineCleaner()
    return [line for chunk in chunks for line in cleaner.feed(chunk)] + cleaner.close()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_the_shared_case_is_shown_exactly(shared_data, size):
    raw = (shared_data / "cases/logs/ansi_tqdm.log").read_bytes()
    expected = (shared_data / "cases/logs/ansi_tqdm.expected.txt").read_text(encoding="utf-8").split("\n")[:-1]
    assert shown(*(raw[at : at + size] for at in range(0, len(raw), size))) == expected


@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"", []),
        (b"\n\n", ["", ""]),
        (b"windows\r\nline\r\n", ["windows", "line"]),
        (b" 10%\r 50%\r100%\n", ["100%"]),
        (b" 10%\r 50%\r", [" 50%"]),
        (b"50%\r\x1b[K\n", ["50%"]),
        (b"\x1b[1;31mred\x1b[0m \x1b[38;5;208morange\x1b[m\n", ["red orange"]),
        (b"\x1b]0;a title\x07text\n", ["text"]),
        (b"\x1b]0;a title\x1b\\text\n", ["text"]),
        (b"\x1bP1$r0m\x1b\\dcs \x1b(Bset \x1b=keypad \x1b7save\n", ["dcs set keypad save"]),
        (b"an open title \x1b]0;never ended\nnext\n", ["an open title ", "next"]),
        (b"lone escape at the end \x1b\n", ["lone escape at the end "]),
        (b"tab\there, bell\x07, nul\x00, back\x08, form\x0c\n", ["tab\there, bell, nul, back, form"]),
        (b"next\xc2\x85line\n", ["nextline"]),
        (b"caf\xc3\xa9 \xe6\x97\xa5\xe6\x9c\xac\n", ["café 日本"]),
        (b"\xff\xfe \xe6\x97\n", ["�� �"]),
        (b"<b>&amp;</b>\n", ["<b>&amp;</b>"]),
        (b"only a colour at the end\n\x1b[0m", ["only a colour at the end"]),
        (b"no newline", ["no newline"]),
    ],
)
def test_what_is_shown(raw, lines):
    assert shown(raw) == lines


def test_a_line_of_exactly_eight_kib_is_whole_and_one_byte_more_is_cut():
    assert shown(b"x" * LINE_BYTES + b"\n") == ["x" * LINE_BYTES]
    assert shown(b"x" * (LINE_BYTES + 1) + b"\n") == ["x" * LINE_BYTES + CUT]


def test_a_cut_never_splits_a_character():
    (line,) = shown("日".encode() * LINE_BYTES + b"\n")
    assert line == "日" * (LINE_BYTES // 3) + CUT


def test_the_last_state_of_a_very_long_line_is_found():
    assert shown(b"\r".join(b"%06d" % n for n in range(100_000)) + b"\n") == ["099999"]


_PIECES = st.sampled_from([
    b"a", b"progress 10%", b"\r", b"\n", b"\r\n", b"\x1b[31m", b"\x1b[", b"\x1b", b"\x1b]8;;http://x\x1b\\",
    b"\x1b]0;t", b"\x07", "é日".encode(), b"\xe6\x97", b"\xff", b"\x00", b"\t", b"x" * 3000, b"y" * STATE_BYTES,
])  # fmt: skip


@given(st.lists(_PIECES, max_size=20).map(b"".join), st.lists(st.integers(0, 90_000), max_size=8))
def test_where_the_bytes_are_cut_makes_no_difference(raw, cuts):
    edges = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    assert shown(*(raw[a:b] for a, b in itertools.pairwise(edges))) == shown(raw)


def test_a_partial_line_is_flushed_once_and_not_repeated():
    cleaner = LineCleaner()
    assert cleaner.feed(b"Loading") == []
    assert cleaner.flush_partial() == ["Loading"]
    assert cleaner.flush_partial() == []
    assert cleaner.feed(b"\nnext\n") == ["next"]


def test_what_follows_a_flushed_part_is_shown_alone():
    cleaner = LineCleaner()
    cleaner.feed(b"ab")
    assert cleaner.flush_partial() == ["ab"]
    assert cleaner.feed(b"ab\n") == ["ab"]


def test_a_bar_that_moves_after_a_flush_shows_its_last_state():
    cleaner = LineCleaner()
    cleaner.feed(b" 10%")
    assert cleaner.flush_partial() == [" 10%"]
    assert cleaner.feed(b"\r 20%\r 30%") == []
    assert cleaner.flush_partial() == [" 30%"]
    assert cleaner.feed(b"\r 30%\r\nend\n") == ["end"]


def test_a_flush_waits_for_the_rest_of_a_character_and_of_a_sequence():
    cleaner = LineCleaner()
    cleaner.feed(b"caf\xc3")
    assert cleaner.flush_partial() == ["caf"]
    cleaner.feed(b"\xa9 \x1b[3")
    assert cleaner.flush_partial() == ["é "]
    assert cleaner.feed(b"1mred\n") == ["red"]


def test_a_line_that_was_cut_when_flushed_is_not_cut_again():
    cleaner = LineCleaner()
    cleaner.feed(b"x" * 9000)
    assert cleaner.flush_partial() == ["x" * LINE_BYTES + CUT]
    cleaner.feed(b"x" * 9000)
    assert cleaner.flush_partial() == []
    assert cleaner.feed(b"\nnext\n") == ["next"]


def test_the_mask_sees_a_line_before_it_is_cut():
    cleaner = LineCleaner(mask=lambda line: line.replace("secret-value", "[masked]"))
    (line,) = cleaner.feed(b"x" * (LINE_BYTES - 6) + b"secret-value and more\n")
    assert "secret" not in line


def test_a_hundred_thousand_lines_take_well_under_a_second():
    raw = b"".join(b"step %06d \x1b[32mloss\x1b[0m=0.123456 and so on\n" % n for n in range(100_000))
    began = time.perf_counter()
    assert len(shown(raw)) == 100_000
    assert time.perf_counter() - began < 2  # about 0.3 s alone; other tests may share the machine


def test_fifty_megabytes_without_a_line_end_need_no_memory():
    cleaner = LineCleaner()
    tracemalloc.start()
    for _ in range(800):
        cleaner.feed(b"x" * 65536)
    assert tracemalloc.get_traced_memory()[1] < 2 * 2**20
    tracemalloc.stop()
    assert cleaner.close() == ["x" * LINE_BYTES + CUT]
