"""A paper and what belongs to it: PDF, rubric versions, submissions, uploads. Plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

SourceType = Literal["arxiv", "doi", "upload", "local"]
Visibility = Literal["public", "private"]
Origin = Literal["given", "generated", "rollout"]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """Bytes in the object store."""

    key: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Paper:
    """One registered paper. `repository_id` lives as long as the paper does, `version` grows by one per change."""

    paper_id: str
    repository_id: str
    title: str
    authors: tuple[str, ...]
    venue: str | None
    year: int | None
    source_type: SourceType
    source: str
    artifact_url: str | None
    license: str
    license_source: str | None
    summary: str
    visibility: Visibility
    owner: str
    slug: str
    withdrawn: bool
    imported_at: datetime
    updated_at: datetime
    version: int = 1
    pdf: StoredFile | None = None
    ad_pdf: StoredFile | None = None
    ae_pdf: StoredFile | None = None
    pdf_has_text: bool = False


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that waits to be used; `path` in the API is `upload:<upload_id>`."""

    upload_id: str
    filename: str
    file: StoredFile
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class RubricVersion:
    """One immutable version. `tree` is the rubric as given, without `flags`; `flags` maps JSON pointers to lists."""

    rubric_id: str
    repository_id: str
    version: int
    sha256: str
    leaves_count: int
    categories: dict[str, int]
    origin: Origin
    tree: dict[str, Any]
    envelope: dict[str, Any]
    flags: dict[str, list[str]]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SubmissionFile:
    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Submission:
    """An archive kept byte for byte. `files` holds the first 2,000, relative to the root."""

    submission_id: str
    repository_id: str
    file: StoredFile
    files: tuple[SubmissionFile, ...]
    files_total: int
    has_script: bool
    origin: Origin
    warnings: tuple[dict[str, str], ...]
    created_at: datetime
