"""New log lines, told to every stream of this process by one thread that asks the database for all of them at once.

A stream that had to ask by itself would cost a query per viewer and look; so a hundred viewers cost what one does.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator

from functions import _shutdown
from runner.domain.errors import Unavailable
from runner.ports import RunLog

LOOK_EVERY_S = 0.25


class News:
    """One per app. The thread lives while somebody follows a run."""

    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._changed = threading.Condition()
        self._followed: Counter[str] = Counter()
        self._lengths: dict[str, int] = {}
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def following(self, run_id: str) -> Iterator[None]:
        """While the block lasts, `wait` hears of this run."""
        with self._changed:
            self._followed[run_id] += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._look, name="log-news", daemon=True)
                self._thread.start()
        try:
            yield
        finally:
            with self._changed:
                self._followed[run_id] -= 1
                if not self._followed[run_id]:
                    del self._followed[run_id]
                    self._lengths.pop(run_id, None)

    def wait(self, run_id: str, seen: int, timeout_s: float) -> bool:
        """Until the run has more than `seen` lines (True), or the time is over or this process stops (False)."""
        with self._changed:
            self._changed.wait_for(lambda: self._lengths.get(run_id, 0) > seen or _shutdown.stopping(), timeout_s)
            return self._lengths.get(run_id, 0) > seen

    def _look(self) -> None:
        while True:
            with self._changed:
                run_ids = list(self._followed)
                if not run_ids:
                    self._thread = None
                    return
            with contextlib.suppress(Unavailable):  # asked again in a moment; streams go on waiting
                lengths = self._log.lengths(run_ids)
                with self._changed:
                    self._lengths.update({each: lengths[each] for each in lengths if each in self._followed})
            _shutdown.wait(LOOK_EVERY_S)
            with self._changed:
                self._changed.notify_all()
