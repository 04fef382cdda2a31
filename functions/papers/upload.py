"""POST /upload: a file that a later request uses."""

from __future__ import annotations

from flask import Response

from functions import _http
from runner.usecases import uploads
from runner.usecases.given_files import HANDLE

bp = _http.blueprint(__name__)


@bp.post("/upload")
def create() -> Response:
    sent = _http.multipart(_http.settings().max_upload_bytes)
    upload = uploads.receive(_http.ports(), filename=sent.filename, data=sent.data)
    answer = {
        "upload_id": upload.upload_id,
        "filename": upload.filename,
        "size_bytes": upload.file.size_bytes,
        "sha256": upload.file.sha256,
        "path": HANDLE + upload.upload_id,
    }
    return _http.reply(answer, 201)
