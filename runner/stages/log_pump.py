"""From a script's bytes to a run's log: the raw file is written as bytes come, shown lines are stored in batches.

A timer thread sends what has gathered every quarter of a second, and a line without its end after a second
(reproduction.md 3), so that people see output at most 2 s late and a kill loses little.
"""

from __future__ import annotations

import threading
from datetime import datetime
from types import TracebackType

from runner.domain.errors import Conflict, Unavailable
from runner.domain.loglines import LineCleaner
from runner.domain.masking import LineMasker, Masker
from runner.domain.run import Attempt, Level, LogStage
from runner.ports import Clock, RunLog

BATCH_LINES = 5_000
SEND_EVERY_S = 0.25
PARTIAL_AFTER_S = 1.0
PARTIAL_AT_MOST_EVERY_S = 60.0
"""A line that goes on without an end, such as a progress bar, is shown after 1, 2, 4, ... s, and then every minute."""
SHOWN_LINES = 1_000_000
_ENOUGH = "the shown log ends here, at one million lines of this stage: reproduce.log goes on"


class LogPump:
    """Use as a context manager; `write` may be called from one thread, while the timer sends from its own."""

    def __init__(
        self,
        log: RunLog,
        clock: Clock,
        attempt: Attempt,
        masker: Masker,
        shown_lines: int = SHOWN_LINES,
    ) -> None:
        self._log, self._clock, self._attempt = log, clock, attempt
        self.lost = False
        """Whether the attempt was given up meanwhile: then nothing more is stored."""
        self._cleaner = LineCleaner(LineMasker(masker))
        self._room = shown_lines
        self._waiting: list[tuple[datetime, Level, LogStage, str]] = []
        self._show_partial_at: float | None = None
        self._pause_s = PARTIAL_AFTER_S
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._timer = threading.Thread(target=self._send_on_time, name=f"log-{attempt.job_id}", daemon=True)

    def __enter__(self) -> LogPump:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._timer.join()
        with self._lock:
            self._take(self._cleaner.close())
            self._send()

    def write(self, output: bytes) -> None:
        """Bytes as the script wrote them. Waits for the database when 5,000 lines have gathered: memory stays flat."""
        with self._lock:
            self._note_partial(output)
            self._take(self._cleaner.feed(output))
            if len(self._waiting) >= BATCH_LINES:
                self._send()

    def _send_on_time(self) -> None:
        while not self._over.wait(SEND_EVERY_S):
            with self._lock:
                self._show_partial()
                try:
                    self._send()
                except Unavailable:
                    continue  # kept, and sent again at the next turn; the end of the stage does not forgive

    def _note_partial(self, output: bytes) -> None:
        """Remembers since when a line waits for its end."""
        if b"\n" in output:
            self._show_partial_at, self._pause_s = None, PARTIAL_AFTER_S
        if self._show_partial_at is None and not output.endswith(b"\n"):
            self._show_partial_at = self._clock.monotonic() + self._pause_s

    def _show_partial(self) -> None:
        now = self._clock.monotonic()
        if self._show_partial_at is None or now < self._show_partial_at:
            return
        self._take(self._cleaner.flush_partial())
        self._pause_s = min(PARTIAL_AT_MOST_EVERY_S, 2 * self._pause_s)
        self._show_partial_at = now + self._pause_s

    def _take(self, lines: list[str]) -> None:
        if not lines or self._room < 0:
            return
        now = self._clock.now()
        self._waiting += [(now, "info", self._attempt.stage, line) for line in lines[: self._room]]
        self._room -= len(lines)
        if self._room < 0:
            self._waiting.append((now, "warning", self._attempt.stage, _ENOUGH))

    def _send(self) -> None:
        while self._waiting and not self.lost:
            try:
                self._log.append(self._attempt.run_id, self._waiting[:BATCH_LINES], self._attempt)
            except Conflict:
                self.lost = True
            del self._waiting[:BATCH_LINES]
