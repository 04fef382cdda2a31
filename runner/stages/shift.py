"""A worker's shift on one attempt: it keeps the heartbeat, hears a cancel, and knows when the attempt is not its own any more."""

from __future__ import annotations

import threading
from types import TracebackType

from runner.domain.errors import Unavailable
from runner.domain.run import Attempt
from runner.ports import Ports

BEAT_EVERY_S = 3.0
LOOK_EVERY_S = 0.5


class StoppedMeanwhile(Exception):
    """The run was cancelled, or the attempt is not ours any more."""


class Shift:
    """A thread beside the stage. `should_stop()` is cheap and true once the run is cancelled or the attempt is lost."""

    def __init__(self, ports: Ports, attempt: Attempt, worker_id: str) -> None:
        self._ports = ports
        self._attempt = attempt
        self._worker_id = worker_id
        self._over = threading.Event()
        self._cancelled = threading.Event()
        self._lost = threading.Event()
        self._thread = threading.Thread(target=self._keep, name=f"shift-{attempt.job_id}", daemon=True)

    def __enter__(self) -> Shift:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def should_stop(self) -> bool:
        return self._cancelled.is_set() or self._lost.is_set()

    def go_on(self) -> None:
        """Raises StoppedMeanwhile when there is no more to do; cheap enough to be called often."""
        if self.should_stop():
            raise StoppedMeanwhile

    @property
    def cancelled(self) -> bool:
        return self._cancelled.is_set()

    @property
    def lost(self) -> bool:
        return self._lost.is_set()

    def _keep(self) -> None:
        beat_at = self._ports.clock.monotonic()
        while not self._over.wait(LOOK_EVERY_S):
            try:
                if self._ports.clock.monotonic() - beat_at >= BEAT_EVERY_S:
                    beat_at = self._ports.clock.monotonic()
                    self._beat()
                if self._ports.runs.cancel_requested(self._attempt.run_id):
                    self._cancelled.set()
            except Unavailable:
                continue  # the database is away: the next look may succeed, and the conductor decides meanwhile

    def _beat(self) -> None:
        a = self._attempt
        if not self._ports.runs.beat(a.run_id, a.stage, a.number, self._worker_id, self._ports.clock.now()):
            self._lost.set()
