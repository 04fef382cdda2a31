"""The GNU licences: GPL, LGPL, AGPL in their many spellings, with exceptions."""

from __future__ import annotations

import re

from license_expression import get_spdx_licensing

from runner.domain.licence_terms import AMBIGUOUS, SHARE_ALIKE, VERSION_UNKNOWN, Found

_NAME = re.compile(
    r"(?:gnu )?(l|a)?gpl ?(v ?)?([1-4](?:\.[0-9])?)?( only| ?\+| or (?:any )?(?:later|newer)(?: versions?)?)?"
    r"(?: with ([a-z0-9 .]+))?"
)
_WORDS = (
    (re.compile(r"\b(?:lesser|library) general\b"), "lgpl"),
    (re.compile(r"\baffero general\b"), "agpl"),
    (re.compile(r"\bgeneral\b"), "gpl"),
)
_VERSIONS = {"": "1.0 2.0 3.0", "l": "2.0 2.1 3.0", "a": "1.0 3.0"}


def named(key: str) -> Found | None:
    """GNU licences. `GPL-3.0` is an old SPDX id and means `only`; `GPLv3` leaves open whether a later one will do."""
    for pattern, short in _WORDS:
        key = pattern.sub(short, key)
    match = _NAME.fullmatch(re.sub(r"\b(l|a)?gpl (?:\1gpl|gnu \1gpl)\b", r"\1gpl", key))
    if match is None:
        return None
    kind, marked, number, more, exception = match.groups()
    if number is None:
        return Found(SHARE_ALIKE, None, VERSION_UNKNOWN)
    version = number if "." in number else f"{number}.0"
    if version not in _VERSIONS[kind or ""].split():
        return Found(SHARE_ALIKE, None, VERSION_UNKNOWN)
    later = bool(more) and more.strip() != "only"
    spdx = f"{(kind or '').upper()}GPL-{version}-{'or-later' if later else 'only'}"
    open_end = not more and (marked is not None or "." not in number or key.startswith("gnu "))
    return _excepted(Found(SHARE_ALIKE, spdx, AMBIGUOUS if open_end else frozenset()), exception)


def _excepted(found: Found, exception: str | None) -> Found:
    """`found` WITH an exception of the SPDX list; an unknown one leaves the id open. Rights only grow by exceptions."""
    if exception is None:
        return found
    wanted = exception.replace(" ", "-")
    symbols = get_spdx_licensing().known_symbols
    name = next((key for key, symbol in symbols.items() if symbol.is_exception and key.lower() == wanted), None)
    return Found(found.terms, f"{found.spdx} WITH {name}" if name else None, found.flags if name else AMBIGUOUS)
