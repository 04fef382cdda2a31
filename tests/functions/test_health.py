"""GET /healthz and /readyz."""

from __future__ import annotations

from typing import Any

from runner.domain.errors import Unavailable
from runner.ports import Ports


def test_health_is_open_to_everyone_under_any_host(api: Any) -> None:
    answer = api.get("/healthz", {"Host": "10.0.0.7:80", "Authorization": "Bearer none", "X-Forwarded-For": "x"})
    assert (answer.status_code, answer.get_json()) == (200, {"status": "ok"})


def test_ready_says_what_was_asked(api: Any) -> None:
    answer = api.get("/readyz")
    assert answer.get_json() == {"status": "ready", "checks": {"database": True, "objects": True, "queue": True}}


def test_not_ready_names_what_is_missing(api: Any, refused: Any, ports: Ports) -> None:
    class DownQueue:
        def knows(self, job_id: str) -> bool:
            raise Unavailable("The queue does not answer.", "queue_unavailable")

    object.__setattr__(ports, "queue", DownQueue())
    answer = api.get("/readyz")
    assert refused(answer, 503, "not_ready")["checks"] == {"database": True, "objects": True, "queue": False}
    assert answer.headers["Retry-After"]
