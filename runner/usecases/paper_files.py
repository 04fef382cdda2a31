"""The PDFs of a paper: looked at before anything is stored, then stored under names of their own."""

from __future__ import annotations

import contextlib
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from ulid import ULID

from runner.domain.errors import DomainError, Fault, Invalid
from runner.domain.papers import StoredFile
from runner.ports import PdfFacts, Ports
from runner.usecases import given_files
from runner.usecases.given_files import Intake

FileField = Literal["pdf_path", "ad_pdf_path", "ae_pdf_path"]
FILE_FIELDS: tuple[FileField, ...] = get_args(FileField)
FEWEST_LETTERS = 100
MOST_GARBLED = 0.01


@dataclass(frozen=True, slots=True)
class Checked:
    """A PDF that may be stored; `path` is our own copy."""

    field: FileField
    path: pathlib.Path
    facts: PdfFacts

    @property
    def has_text(self) -> bool:
        return self.facts.letters >= FEWEST_LETTERS

    @property
    def warnings(self) -> list[dict[str, str]]:
        found = []
        if not self.has_text:
            text = f"The first three pages of {self.field} hold almost no text: it may be a scan."
            found.append({"code": "pdf_no_text_layer", "message": text})
        if self.facts.garbled > MOST_GARBLED:
            text = f"Much of the text in {self.field} cannot be read: its fonts do not say which letters they show."
            found.append({"code": "pdf_text_garbled", "message": text})
        return found


@contextlib.contextmanager
def checked(ports: Ports, given: Mapping[FileField, str], intake: Intake) -> Iterator[list[Checked]]:
    """Copies of the PDFs that `given` names, each found fit.

    Raises Invalid with a detail per unfit file (`pdf_empty`, `pdf_not_a_pdf`, `pdf_encrypted`, `pdf_damaged`,
    `path_not_allowed`, `upload_not_found`), TooLarge `upload_too_large`.
    """
    with given_files.workspace(ports) as folder:
        fit: list[Checked] = []
        unfit: list[Invalid] = []
        for field, name in given.items():
            path = folder / field
            try:
                given_files.fetch(ports, name, path, field=field, intake=intake)
                fit.append(Checked(field, path, ports.pdfs.inspect(path)))
            except Invalid as error:
                unfit.append(_named(error, field))
        if unfit:
            raise Invalid(unfit[0].message, unfit[0].code, [fault for error in unfit for fault in error.details])
        yield fit


@contextlib.contextmanager
def stored(ports: Ports, paper_id: str, files: list[Checked]) -> Iterator[dict[str, StoredFile]]:
    """The files in the object store by entry field (`pdf`, ...); they are taken out again if the block raises."""
    made: dict[str, StoredFile] = {}
    try:
        for file in files:
            name = entry_field(file.field)
            with file.path.open("rb") as data:
                key = f"papers/{paper_id}/{name}-{ULID()}.pdf"
                made[name] = ports.objects.put(key, data, "application/pdf")
        yield made
    except BaseException:
        _forget(ports, made)
        raise


def entry_field(field: FileField) -> str:
    return field.removesuffix("_path")


def _named(error: Invalid, field: FileField) -> Invalid:
    details = error.details or (Fault(field, error.code, error.message),)
    return Invalid(error.message, error.code, [Fault(field, fault.code, fault.message) for fault in details])


def _forget(ports: Ports, made: Mapping[str, StoredFile]) -> None:
    """Bytes that stay because the store is down too have no row and are swept later."""
    for file in made.values():
        with contextlib.suppress(DomainError):
            ports.objects.delete(file.key)
