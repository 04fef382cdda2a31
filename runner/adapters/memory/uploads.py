"""Uploads in memory."""

from __future__ import annotations

from datetime import datetime

from runner.adapters.memory.state import State
from runner.domain.errors import NotFound
from runner.domain.papers import Upload


class MemoryUploads:
    def __init__(self, state: State) -> None:
        self._state = state

    def add(self, upload: Upload) -> None:
        with self._state.lock:
            self._state.uploads[upload.upload_id] = upload

    def get(self, upload_id: str, now: datetime) -> Upload:
        with self._state.lock:
            upload = self._state.uploads.get(upload_id)
        if upload is None or upload.expires_at <= now:
            raise NotFound("There is no such upload, or it has expired.", "upload_not_found")
        return upload
