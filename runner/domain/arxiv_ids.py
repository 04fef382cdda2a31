"""arXiv identifiers in every form people paste, and their canonical form (contract: paperbench-api.md 3).

Schemes: https://info.arxiv.org/help/arxiv_identifier.html
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from runner.domain.errors import Fault, Invalid

_NEW = re.compile(r"([0-9]{2})([0-9]{2})\.([0-9]{4,5})(?:v([0-9]{1,4}))?", re.ASCII)
_OLD = re.compile(
    r"([a-z]+(?:-[a-z]+)?)(?:\.[a-z-]{2,10})?/([0-9]{2})([0-9]{2})([0-9]{3})(?:v([0-9]{1,4}))?", re.ASCII | re.I
)
_NO_ARCHIVE = re.compile(r"[0-9]{7}(?:v[0-9]+)?", re.ASCII)
_PREFIXES = (
    re.compile(r"https?://(?:www\.|export\.)?arxiv\.org/(?:abs|pdf|html)/", re.I),
    re.compile(r"(?:https?://(?:dx\.)?doi\.org/)?10\.48550/arxiv\.", re.I),
    re.compile(r"arxiv:\s*", re.I),
)
_FIVE_DIGITS_FROM = (15, 1)
_FIRST_NEW = (7, 4)
_ARCHIVE_NAMES = (
    "acc-phys adap-org alg-geom ao-sci astro-ph atom-ph bayes-an chao-dyn chem-ph cmp-lg comp-gas cond-mat cs dg-ga "
    "funct-an gr-qc hep-ex hep-lat hep-ph hep-th math math-ph mtrl-th nlin nucl-ex nucl-th patt-sol physics plasm-ph "
    "q-alg q-bio quant-ph solv-int supr-con"
)
_ARCHIVES = frozenset(_ARCHIVE_NAMES.split())


@dataclass(frozen=True, slots=True)
class ArxivId:
    """`id` without version and subject class; `version` None when none was given."""

    id: str
    version: int | None

    @property
    def source(self) -> str:
        """The canonical text: `2404.14193v2`."""
        return self.id if self.version is None else f"{self.id}v{self.version}"

    @property
    def file_stem(self) -> str:
        """A name for ids and files: `hep-th__9901001v2`."""
        return self.source.replace("/", "__")


def parse(text: str) -> ArxivId:
    """Raises Invalid `arxiv_invalid_id`."""
    bare = _bare(text.strip())
    if match := _NEW.fullmatch(bare):
        return _new(*match.groups())
    if match := _OLD.fullmatch(bare):
        return _old(*match.groups())
    if _NO_ARCHIVE.fullmatch(bare):
        raise _invalid("The archive is missing: write it before the number, as in hep-th/9901001.")
    raise _invalid("This is no arXiv id: write 2404.14193, 2404.14193v2, hep-th/9901001, or an arxiv.org address.")


def _bare(text: str) -> str:
    for prefix in _PREFIXES:
        if match := prefix.match(text):
            rest = text[match.end() :]
            address = match[0].lower().startswith("http")
            return re.sub(r"(\.pdf)?/?(?:[?#].*)?\Z", "", rest, flags=re.I | re.S) if address else rest
    return text


def _new(year: str, month: str, number: str, version: str | None) -> ArxivId:
    when = (int(year), int(month))
    _check_month(when[1])
    if when < _FIRST_NEW:
        raise _invalid("Ids of this form begin with 0704.")
    if len(number) != (5 if when >= _FIVE_DIGITS_FROM else 4):
        raise _invalid("Ids have four digits after the point until 1412 and five from 1501 on.")
    if int(number) == 0:
        raise _invalid("The number after the point begins with 1.")
    return ArxivId(f"{year}{month}.{number}", _version(version))


def _old(archive: str, year: str, month: str, number: str, version: str | None) -> ArxivId:
    _check_month(int(month))
    if archive.lower() not in _ARCHIVES:
        raise _invalid("There is no arXiv archive of that name.")
    return ArxivId(f"{archive.lower()}/{year}{month}{number}", _version(version))


def _check_month(month: int) -> None:
    if not 1 <= month <= 12:
        raise _invalid("The third and fourth digit are a month, 01 to 12.")


def _version(text: str | None) -> int | None:
    if text is None:
        return None
    if int(text) == 0:
        raise _invalid("Versions begin with v1.")
    return int(text)


def _invalid(sentence: str) -> Invalid:
    return Invalid(sentence, "arxiv_invalid_id", [Fault("source", "arxiv_invalid_id", sentence)])
