"""What the fields of a paper may hold (contract: paperbench-api.md 2, import).

Each function takes a value of the right type, returns it as it is stored, and raises ValueError with a sentence.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from runner.domain import ids, slugs

FIRST_YEAR = 1500
MOST_AUTHORS = 5000


def source(text: str) -> str:
    return _sized(text.strip(), 1, 2048)


def title(text: str) -> str:
    """Runs of white space become one space."""
    return _sized(" ".join(text.split()), 1, 1000)


def license(text: str) -> str:
    return _sized(text, 0, 2000)


def authors(names: list[str]) -> list[str]:
    if len(names) > MOST_AUTHORS:
        raise ValueError(f"Give at most {MOST_AUTHORS} authors.")
    if not all(name.strip() for name in names):
        raise ValueError("An author's name must not be blank.")
    return [name.strip() for name in names]


def venue(text: str) -> str:
    return _sized(text.strip(), 0, 500)


def year(number: int, this_year: int) -> int:
    if not FIRST_YEAR <= number <= this_year + 1:
        raise ValueError(f"Give a year from {FIRST_YEAR} to {this_year + 1}.")
    return number


def artifact_url(text: str) -> str:
    sentence = "Give an http or https address of at most 2048 characters."
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        raise ValueError(sentence) from None
    if not is_address or not text.isprintable() or " " in text or len(text) > 2048:
        raise ValueError(sentence)
    return text


def paper_id(text: str) -> str:
    if not ids.is_paper_id(text):
        raise ValueError("Use 1 to 64 of A-Z a-z 0-9 . _ - and no dot at the start; import is taken.")
    return text


def summary(text: str) -> str:
    return _sized(text, 0, 8000)


def owner_or_slug(text: str) -> str:
    if not slugs.is_slug(text):
        raise ValueError("Use 1 to 80 of a-z 0-9 . _ - with a letter or digit at the start.")
    return text


def _sized(text: str, shortest: int, longest: int) -> str:
    if not shortest <= len(text) <= longest:
        raise ValueError(f"Give {shortest or 'at most'}{' to' if shortest else ''} {longest} characters.")
    return text
