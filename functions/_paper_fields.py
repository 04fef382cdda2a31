"""The fields of a paper in requests: types with the rules of `runner.domain.paper_rules`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo

from functions import _http
from runner.domain import paper_rules
from runner.usecases.given_files import Intake


def _year(number: int, info: ValidationInfo) -> int:
    now: datetime = (info.context or {})["now"]
    return paper_rules.year(number, now.year)


SourceType = Literal["arxiv", "doi", "upload", "local"]
Visibility = Literal["public", "private"]
Source = Annotated[str, AfterValidator(paper_rules.source)]
Title = Annotated[str, AfterValidator(paper_rules.title)]
License = Annotated[str, AfterValidator(paper_rules.license)]
Authors = Annotated[list[str], AfterValidator(paper_rules.authors)]
Venue = Annotated[str, AfterValidator(paper_rules.venue)]
Year = Annotated[int, AfterValidator(_year)]
ArtifactUrl = Annotated[str, AfterValidator(paper_rules.artifact_url)]
PaperId = Annotated[str, AfterValidator(paper_rules.paper_id)]
Summary = Annotated[str, AfterValidator(paper_rules.summary)]
OwnerOrSlug = Annotated[str, AfterValidator(paper_rules.owner_or_slug)]
FilePath = Annotated[str, Field(min_length=1, max_length=4096)]


def intake() -> Intake:
    """Where files named in requests may lie, by the site's settings."""
    return Intake(_http.settings().import_roots, _http.settings().max_upload_bytes)
