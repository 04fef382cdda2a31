"""What a licence text allows (contract: paperbench-api.md 5). Pure, and never raises.

`classify` tries, in this order: the whole text as the URI or name of one licence, an expression (`A OR B`, `A/B`,
`A AND B`), a sentence that grants a Creative Commons licence. Everything else is `unknown`: a guess would be worse.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from runner.domain import licence_expressions, licence_names, licence_sentences
from runner.domain.licence_terms import UNKNOWN, Found, Scope

LONGEST = 4000
"""Longer texts are no names of licences."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """`license` is the normalised text; `flags` say what it leaves open: `version_unknown`, `ambiguous`, `ported`."""

    license: str
    spdx: str | None
    modifiable: bool
    redistributable: bool
    commercial: bool
    scope: Scope
    flags: tuple[str, ...]
    note: str

    @property
    def permissive(self) -> bool:
        return self.modifiable and self.redistributable

    @property
    def usable(self) -> bool:
        return (self.permissive and self.commercial) or self.scope == "local_only"

    def as_json(self) -> dict[str, Any]:
        """The object `license_assessment` of a paper entry."""
        return {
            "license": self.license,
            "spdx": self.spdx,
            "permissive": self.permissive,
            "modifiable": self.modifiable,
            "redistributable": self.redistributable,
            "commercial": self.commercial,
            "usable": self.usable,
            "scope": self.scope,
            "flags": list(self.flags),
            "note": self.note,
        }


def classify(text: str) -> Assessment:
    """The assessment of a licence given as name, URI, SPDX expression or sentence."""
    license = normalise(text)
    found = _find(license)
    return Assessment(
        license=license,
        spdx=found.spdx,
        modifiable=found.terms.modifiable,
        redistributable=found.terms.redistributable,
        commercial=found.terms.commercial,
        scope=found.terms.scope,
        flags=tuple(sorted(found.flags)),
        note=found.terms.note,
    )


def normalise(text: str) -> str:
    """NFKC, white space folded, lower case; `unknown` if nothing is left."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().split()) or "unknown"


def _find(text: str) -> Found:
    if len(text) > LONGEST:
        return UNKNOWN
    for find in (licence_names.whole, licence_expressions.parts, licence_sentences.granted):
        found = find(text)
        if found is not None:
            return found
    return UNKNOWN
