"""One measured figure and the bound it must keep; printed as one JSON line."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """`value` in `unit`. `bound` is the most allowed, or the least when `at_least`; it is for `ratio` (value / peer) if
    there is one, else for `value`. `note` says what was measured, or why it could not be."""

    bench: str
    value: float | None
    unit: str
    bound: float
    peer: float | None = None
    at_least: bool = False
    note: str = ""

    @property
    def ratio(self) -> float | None:
        return None if self.value is None or not self.peer else self.value / self.peer

    @property
    def ok(self) -> bool:
        judged = self.ratio if self.peer else self.value
        if judged is None:
            return False
        return judged >= self.bound if self.at_least else judged <= self.bound

    def line(self) -> str:
        shown = {**asdict(self), "ratio": self.ratio, "ok": self.ok}
        return json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in shown.items()}, ensure_ascii=False)
