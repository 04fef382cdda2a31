"""DOIs in every form people paste, and their canonical form (contract: paperbench-api.md 4).

Handbook: https://www.doi.org/doi-handbook/HTML/doi-name-syntax.html
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from runner.domain.errors import Fault, Invalid

_ADDRESS = re.compile(r"https?://(?:dx\.|www\.)?doi\.org/", re.I)
_SCHEME = re.compile(r"doi:\s*", re.I)
_DOI = re.compile(r"10\.[0-9]{4,9}(?:\.[0-9]+)*/\S+", re.ASCII)
_UPPER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_BRACKETS = {"(": ")", "[": "]", "{": "}", "<": ">"}
_SENTENCE_END = ".,;:"


def parse(text: str) -> str:
    """The canonical DOI: bare, ASCII letters in lower case. Raises Invalid `doi_invalid`."""
    bare = _unwrapped(_bare(text.strip())).translate(_UPPER)
    if not _DOI.fullmatch(bare) or not bare.isprintable():
        sentence = "This is no DOI: it begins with 10., a number and a slash, as in 10.1000/xyz123."
        raise Invalid(sentence, "doi_invalid", [Fault("source", "doi_invalid", sentence)])
    return bare


def path_segment(doi: str) -> str:
    """`doi` as one segment of a catalogue's URL: every byte outside `A-Za-z0-9_.~-` percent-encoded."""
    return quote(doi, safe="")


def _bare(text: str) -> str:
    text = _outer(text)
    if match := _ADDRESS.match(text):
        return unquote(re.split(r"[?#]", text[match.end() :], maxsplit=1)[0])
    if match := _SCHEME.match(text):
        return text[match.end() :]
    return text


def _outer(text: str) -> str:
    """`text` without brackets around the whole of it: `(https://doi.org/10.1000/xyz)`."""
    while len(text) > 1 and _BRACKETS.get(text[0]) is not None:
        text = text[1:].strip()
    return text


def _unwrapped(text: str) -> str:
    """`text` without trailing `.,;:` and closing brackets that nothing inside has opened."""
    text = text.strip()
    while text:
        last = text[-1]
        opening = next((start for start, end in _BRACKETS.items() if end == last), None)
        loose = opening is not None and text.count(last) > text.count(opening)
        if last not in _SENTENCE_END and not loose:
            break
        text = text[:-1].rstrip()
    return text
