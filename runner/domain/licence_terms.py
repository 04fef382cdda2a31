"""The families of licences and what each allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Scope = Literal["public_domain", "attribution", "share_alike", "non_commercial", "local_only", "restricted", "unknown"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
"""From the widest to the narrowest."""


@dataclass(frozen=True, slots=True)
class Terms:
    redistributable: bool
    modifiable: bool
    commercial: bool
    scope: Scope
    note: str

    @property
    def rank(self) -> tuple[int, int]:
        """Smaller means more rights; of equal rights the wider scope."""
        rights = self.redistributable + self.modifiable + self.commercial
        return -rights, SCOPES.index(self.scope)


@dataclass(frozen=True, slots=True)
class Found:
    """A recognised licence. `spdx` is None when the text leaves open which one exactly; `flags` say what is open."""

    terms: Terms
    spdx: str | None
    flags: frozenset[str] = frozenset()


AMBIGUOUS = frozenset({"ambiguous"})
VERSION_UNKNOWN = frozenset({"version_unknown"})
PUBLIC_DOMAIN = Terms(True, True, True, "public_domain", "Public domain: may be used, changed and shared freely.")
ATTRIBUTION = Terms(
    True, True, True, "attribution", "Attribution licence: may be used, changed and shared with credit."
)
SHARE_ALIKE = Terms(
    True, True, True, "share_alike", "Share-alike licence: may be used, changed and shared under the same licence."
)
NON_COMMERCIAL = Terms(
    True, True, False, "non_commercial", "May be changed and shared with credit for non-commercial purposes only."
)
NON_COMMERCIAL_WHOLE = Terms(
    True, False, False, "non_commercial", "May be shared unchanged with credit for non-commercial purposes only."
)
WHOLE_ONLY = Terms(True, False, True, "restricted", "May be shared unchanged with credit; changes must not be shared.")
LOCAL_ONLY = Terms(False, False, False, "local_only", "May be read and analysed locally; only arXiv may distribute it.")
RESTRICTED = Terms(False, False, False, "restricted", "The holder keeps all rights: ask before any use.")
NOT_KNOWN = Terms(False, False, False, "unknown", "The licence is not known, so no right is assumed.")
UNKNOWN = Found(NOT_KNOWN, None)


def creative_commons(elements: frozenset[str]) -> Terms:
    """Terms of a Creative Commons licence from its elements `by nc nd sa`."""
    if "nc" in elements:
        return NON_COMMERCIAL_WHOLE if "nd" in elements else NON_COMMERCIAL
    if "nd" in elements:
        return WHOLE_ONLY
    return SHARE_ALIKE if "sa" in elements else ATTRIBUTION


def either(branches: list[Found]) -> Found:
    """`A OR B`: the branch with more rights counts."""
    best = min(branches, key=lambda found: found.terms.rank)
    return Found(best.terms, _joined(branches, " OR "), _flags(branches))


def all_of(branches: list[Found]) -> Found:
    """`A AND B`: each right only if every part gives it, and the narrower scope."""
    worst = max(branches, key=lambda found: SCOPES.index(found.terms.scope)).terms
    terms = Terms(
        all(found.terms.redistributable for found in branches),
        all(found.terms.modifiable for found in branches),
        all(found.terms.commercial for found in branches),
        worst.scope,
        worst.note,
    )
    return Found(terms, _joined(branches, " AND "), _flags(branches))


def _joined(branches: list[Found], word: str) -> str | None:
    names = [found.spdx for found in branches]
    unique = list(dict.fromkeys(name for name in names if name))
    if None in names:
        return None
    inner = " OR " if word == " AND " else " AND "
    return word.join(f"({name})" if inner in name and len(unique) > 1 else name for name in unique)


def _flags(branches: list[Found]) -> frozenset[str]:
    return frozenset().union(*(found.flags for found in branches))
