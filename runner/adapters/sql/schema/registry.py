"""Papers and what people bring along: uploads, rubric versions, submissions."""

from __future__ import annotations

from typing import get_args

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table, Text, UniqueConstraint

from runner.adapters.sql.columns import Instant, Json, Name, one_of
from runner.adapters.sql.schema.metadata import metadata
from runner.domain.papers import Origin, SourceType, Visibility

papers = Table(
    "papers",
    metadata,
    Column("paper_id", Name, primary_key=True),
    Column("repository_id", Name, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("title_key", Name, nullable=False),
    Column("authors", Json, nullable=False),
    Column("venue", Text),
    Column("year", Integer),
    Column("source_type", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("artifact_url", Text),
    Column("license", Text, nullable=False),
    Column("license_scope", Text, nullable=False),
    Column("license_usable", Boolean, nullable=False),
    Column("license_source", Text),
    Column("summary", Text, nullable=False),
    Column("visibility", Text, nullable=False),
    Column("owner", Name, nullable=False),
    Column("slug", Name, nullable=False),
    Column("withdrawn", Boolean, nullable=False),
    Column("imported_at", Instant, nullable=False),
    Column("updated_at", Instant, nullable=False),
    Column("version", Integer, nullable=False),
    Column("pdf_key", Name),
    Column("pdf_sha256", Text),
    Column("pdf_size_bytes", BigInteger),
    Column("ad_pdf_key", Name),
    Column("ad_pdf_sha256", Text),
    Column("ad_pdf_size_bytes", BigInteger),
    Column("ae_pdf_key", Name),
    Column("ae_pdf_sha256", Text),
    Column("ae_pdf_size_bytes", BigInteger),
    Column("pdf_has_text", Boolean, nullable=False),
    Column("search_text", Text, nullable=False),
    UniqueConstraint("owner", "slug"),
    one_of("source_type", get_args(SourceType)),
    one_of("visibility", get_args(Visibility)),
)
for _key in ("title_key", "year", "imported_at"):  # ties always go up by paper_id, so each direction has its index
    Index(f"ix_papers_{_key}_up", papers.c[_key], papers.c.paper_id)
    Index(f"ix_papers_{_key}_down", papers.c[_key].desc(), papers.c.paper_id)
for _file in ("pdf", "ad_pdf", "ae_pdf"):
    Index(f"ix_papers_{_file}_key", papers.c[f"{_file}_key"])

uploads = Table(
    "uploads",
    metadata,
    Column("upload_id", Name, primary_key=True),
    Column("filename", Text, nullable=False),
    Column("file_key", Name, nullable=False, index=True),
    Column("file_sha256", Text, nullable=False),
    Column("file_size_bytes", BigInteger, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True),
)

rubrics = Table(
    "rubrics",
    metadata,
    Column("rubric_id", Name, primary_key=True),
    Column("repository_id", Name, nullable=False),
    Column("version", Integer, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("leaves_count", Integer, nullable=False),
    Column("categories", Json, nullable=False),
    Column("origin", Text, nullable=False),
    Column("tree", Json, nullable=False),
    Column("envelope", Json, nullable=False),
    Column("flags", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("repository_id", "version"),
    one_of("origin", get_args(Origin)),
)

submissions = Table(
    "submissions",
    metadata,
    Column("submission_id", Name, primary_key=True),
    Column("repository_id", Name, nullable=False),
    Column("file_key", Name, nullable=False, index=True),
    Column("file_sha256", Text, nullable=False),
    Column("file_size_bytes", BigInteger, nullable=False),
    Column("files", Json, nullable=False),
    Column("files_total", Integer, nullable=False),
    Column("has_script", Boolean, nullable=False),
    Column("origin", Text, nullable=False),
    Column("warnings", Json, nullable=False),
    Column("created_at", Instant, nullable=False),
    UniqueConstraint("repository_id", "file_sha256"),
    Index(None, "repository_id", "created_at", "submission_id"),
    one_of("origin", get_args(Origin)),
)
