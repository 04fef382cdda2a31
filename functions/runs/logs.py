"""GET /run/{job_id}/logs (Server-Sent Events) and /logs.txt: what a run has said, from any line on, to its end.

Event ids are the stored line numbers. https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from flask import Response, request

from functions import _http, _shutdown
from functions._news import News
from runner.domain.errors import NotFound, Unavailable
from runner.domain.run import LogLine, Run
from runner.ports import Ports
from runner.usecases import runs

bp = _http.blueprint(__name__)

LINES_AT_ONCE = 256
"""A line has at most 8 KiB: what a slow reader holds in memory stays near 2 MiB."""
FRAME_BYTES = 1 << 16
COMMENT_EVERY_S = 12.0
AWAY_PAUSE_S = 2.0
_LONGEST, _LARGEST = 30, 2**62
_streams = threading.Lock()
_open_streams = 0


@bp.get("/run/<job_id>/logs")
def logs(job_id: str) -> Response:
    if not _http.settings().streams:
        raise NotFound("This process serves no streams.", "not_found")
    ports = _http.ports()
    run = runs.get(ports, run_id=job_id, with_private=_http.may_see_private())
    after = _asked_after()
    if run.is_final and (end := ports.log.tail(job_id, 1)) and after >= end[0].seq:
        return Response(status=204)
    if request.method == "HEAD":
        return _http.sse([])
    _take_place(_http.settings().max_streams)
    response = _http.sse(_frames(ports, _http.kit().news, job_id, after))
    response.call_on_close(_leave_place)
    return response


@bp.get("/run/<job_id>/logs.txt")
def logs_text(job_id: str) -> Response:
    ports = _http.ports()
    run = runs.get(ports, run_id=job_id, with_private=_http.may_see_private())
    response = Response(_text(ports, run), content_type="text/plain; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{job_id}.log.txt"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


def _asked_after() -> int:
    """The greater of `Last-Event-ID` and `?after`; what is missing, negative or no integer is -1."""
    return max(_number(request.headers.get("Last-Event-ID")), _number(request.args.get("after")))


def _number(text: str | None) -> int:
    return min(int(text[:_LONGEST]), _LARGEST) if text and text.isascii() and text.isdigit() else -1


def _take_place(most: int) -> None:
    global _open_streams
    with _streams:
        if _open_streams >= most:
            raise Unavailable(f"This process serves {most} streams at most.", "too_many_streams", retry_after_s=5)
        _open_streams += 1


def _leave_place() -> None:
    global _open_streams
    with _streams:
        _open_streams -= 1


def _frames(ports: Ports, news: News, job_id: str, after: int) -> Iterator[str]:
    """Comment, history, then lines as they are stored, until the run has ended or this process stops."""
    yield ": ok\n\n"
    with news.following(job_id):
        while not _shutdown.stopping():
            try:
                final = ports.runs.get(job_id).is_final
                lines = ports.log.read(job_id, after, LINES_AT_ONCE)
                ended = bool(final and lines and _is_end(ports, job_id, lines[-1]))
            except Unavailable:
                yield ": storage does not answer\n\n"
                _shutdown.wait(AWAY_PAUSE_S)
                continue
            if lines:
                after = lines[-1].seq
                yield from _joined(map(_log_frame, lines[:-1] if ended else lines))
            if ended:
                yield _done_frame(lines[-1])
            if ended or (final and not lines):
                return
            if not lines and not news.wait(job_id, after + 1, COMMENT_EVERY_S):
                yield ": waiting\n\n"


def _joined(pieces: Iterable[str]) -> Iterator[str]:
    """The same text in fewer pieces, none much longer than 64 KiB."""
    waiting: list[str] = []
    length = 0
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length >= FRAME_BYTES:
            yield "".join(waiting)
            waiting, length = [], 0
    if waiting:
        yield "".join(waiting)


def _log_frame(line: LogLine) -> str:
    return f"event: log\nid: {line.seq}\ndata: {_dump(_shown(line))}\n\n"


def _done_frame(line: LogLine) -> str:
    return f"event: done\nid: {line.seq}\ndata: {_dump({'status': line.msg})}\n\n"


def _shown(line: LogLine) -> dict[str, Any]:
    message = f"ended: {line.msg}" if line.done else line.msg
    return {"ts": _http.when(line.ts), "level": line.level, "msg": message, "stage": line.stage}


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _text(ports: Ports, run: Run) -> Iterator[str]:
    """One text line per stored line; the end mark of a finished run is no line of its log."""
    after = -1
    while lines := ports.log.read(run.run_id, after, LINES_AT_ONCE):
        after = lines[-1].seq
        ended = run.is_final and _is_end(ports, run.run_id, lines[-1])
        yield from _joined(map(_text_line, lines[:-1] if ended else lines))


def _is_end(ports: Ports, job_id: str, line: LogLine) -> bool:
    """Whether this is the end mark of the log, and no earlier one that a retry left behind."""
    return line.done and ports.log.tail(job_id, 1)[0].seq == line.seq


def _text_line(line: LogLine) -> str:
    shown = _shown(line)
    return f"{shown['ts']} {line.level.upper()} [{line.stage}] {shown['msg']}\n"
