"""Short lower-case names that people give to claims and measurements."""

from __future__ import annotations

import re

MAX_LENGTH = 80
SLUG_RULE = "1 to 80 characters of a-z, 0-9, '.', '_' and '-', beginning with a letter or a digit"
SLUG = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}\Z")


def is_slug(value: object) -> bool:
    return isinstance(value, str) and SLUG.match(value) is not None


def slugify(text: str) -> str:
    """`Part One (new)` -> `part-one-new`; a text without any usable character becomes `claim`."""
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-._")[:MAX_LENGTH].rstrip("-._") or "claim"


def unique_slugs(texts: list[str]) -> list[str]:
    """One slug per text, in order; equal ones get `-2`, `-3`, skipping any that is taken already."""
    taken: set[str] = set()
    slugs = []
    for text in texts:
        slug = stem = slugify(text)
        number = 1
        while slug in taken:
            number += 1
            suffix = f"-{number}"
            slug = stem[: MAX_LENGTH - len(suffix)] + suffix
        taken.add(slug)
        slugs.append(slug)
    return slugs
