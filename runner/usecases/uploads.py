"""Uploads: files that wait 24 hours to be used by a paper, a rubric or a submission."""

from __future__ import annotations

import contextlib
from datetime import timedelta
from typing import BinaryIO

from runner.domain import ids
from runner.domain.errors import DomainError
from runner.domain.papers import Upload
from runner.ports import Ports

LIFETIME = timedelta(hours=24)


def receive(ports: Ports, *, filename: str, data: BinaryIO) -> Upload:
    """Streams `data` into the object store. What reading `data` raises passes through, and nothing is kept then."""
    upload_id = ids.new("up")
    file = ports.objects.put(f"uploads/{upload_id}", data)
    now = ports.clock.now()
    upload = Upload(upload_id, filename, file, now, now + LIFETIME)
    try:
        ports.uploads.add(upload)
    except DomainError:
        with contextlib.suppress(DomainError):
            ports.objects.delete(file.key)
        raise
    return upload
