"""One question to the database serves all streams of a process."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from functions._news import LOOK_EVERY_S, News
from runner.domain.errors import Unavailable


class Log:
    """Counts questions; `lengths` grows as the test says; away while `is_away`."""

    def __init__(self) -> None:
        self.known = {"a": 1, "b": 1}
        self.questions = 0
        self.is_away = False

    def lengths(self, run_ids: Sequence[str]) -> dict[str, int]:
        self.questions += 1
        if self.is_away:
            raise Unavailable("away", "storage_unavailable")
        return {run_id: self.known[run_id] for run_id in run_ids}


def test_many_viewers_cost_what_one_does() -> None:
    log = Log()
    news = News(log)  # type: ignore[arg-type]
    heard: list[bool] = []

    def view() -> None:
        with news.following("a"):
            heard.append(news.wait("a", 1, 10))

    viewers = [threading.Thread(target=view) for _ in range(40)]
    for viewer in viewers:
        viewer.start()
    began = time.monotonic()
    time.sleep(4 * LOOK_EVERY_S)
    log.known["a"] = 2
    for viewer in viewers:
        viewer.join(10)
    assert heard == [True] * 40
    assert log.questions <= (time.monotonic() - began) / LOOK_EVERY_S + 3


def test_waiting_ends_with_its_time_and_for_its_own_run_only() -> None:
    log = Log()
    news = News(log)  # type: ignore[arg-type]
    with news.following("a"), news.following("b"):
        log.known["b"] = 5
        assert news.wait("b", 1, 5)
        assert not news.wait("a", 1, 0.1)


def test_a_database_that_is_away_is_asked_again() -> None:
    log = Log()
    log.is_away = True
    news = News(log)  # type: ignore[arg-type]
    with news.following("a"):
        assert not news.wait("a", 0, 2 * LOOK_EVERY_S)
        log.is_away = False
        assert news.wait("a", 0, 5)


def test_nobody_asks_when_nobody_follows() -> None:
    log = Log()
    news = News(log)  # type: ignore[arg-type]
    with news.following("a"):
        assert news.wait("a", 0, 5)
    time.sleep(3 * LOOK_EVERY_S)
    asked = log.questions
    time.sleep(3 * LOOK_EVERY_S)
    assert log.questions == asked
