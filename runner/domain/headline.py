"""The result of a run in one line of English: a whole score only when everything was judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def headline(results: Mapping[str, Any]) -> str:
    """`score 93.3 %, coverage 100.0 %`, or what the judged part says and between which bounds the whole lies."""
    coverage = f"coverage {_percent(results['coverage'])}"
    if results["ors_score"] is not None:
        return f"score {_percent(results['ors_score'])}, {coverage}"
    if results["raw_score"] is None:
        return f"no score: nothing could be judged, {coverage}"
    low, high = (_percent(results["score_bounds"][end]) for end in ("low", "high"))
    return (
        f"the judged part scores {_percent(results['raw_score'])}, {coverage}, the whole lies between {low} and {high}"
    )


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """`1 criterion`, `2 criteria`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
