"""One line per result: a whole score only when everything was judged."""

from __future__ import annotations

import pytest

from runner.domain.headline import counted, headline


@pytest.mark.parametrize(
    "score,raw,coverage,low,high,expected",
    [
        (0.9333, 0.9333, 1, 0.9333, 0.9333, "score 93.3 %, coverage 100.0 %"),
        (0, 0, 1, 0, 0, "score 0.0 %, coverage 100.0 %"),
        (None, None, 0, 0, 1, "no score: nothing could be judged, coverage 0.0 %"),
        (
            None,
            0.5,
            0.8,
            0.4,
            0.6,
            "the judged part scores 50.0 %, coverage 80.0 %, the whole lies between 40.0 % and 60.0 %",
        ),
    ],
)
def test_the_headline_never_calls_a_part_the_whole(
    score: float | None, raw: float | None, coverage: float, low: float, high: float, expected: str
) -> None:
    bounds = {"low": low, "high": high}
    assert headline({"ors_score": score, "raw_score": raw, "coverage": coverage, "score_bounds": bounds}) == expected


def test_one_is_singular() -> None:
    assert [counted(n, "criterion", "criteria") for n in (0, 1, 2)] == ["0 criteria", "1 criterion", "2 criteria"]
    assert counted(2, "file") == "2 files"
