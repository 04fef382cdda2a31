"""Sentences that grant a Creative Commons licence: a granting word, and the licence's address or full name.

Prose that merely mentions a licence grants nothing.
"""

from __future__ import annotations

import re

from runner.domain import licence_cc as cc
from runner.domain.licence_terms import Found, all_of

_GRANT = re.compile(
    r"\blicen[cs]ed\b|\bavailable under\b|\breleased under\b|\bdistributed under\b|\bpublished under\b|"
    r"\bunder (?:the|a) (?:terms|creative commons)|のもと|の下|で提供|で公開|許諾|采用|採用|授权|授權|许可使用"
)
_DENIAL = re.compile(
    r"\b(?:not|never|no longer|cannot|previously|formerly|unless|except)\b|n't\b|ない|ません|不得|并非"
)


def granted(text: str) -> Found | None:
    """The licence that a sentence grants; of several different ones what all of them give, flagged `ambiguous`."""
    addresses = [cc.path(match[1].rstrip("/.")) for match in cc.ADDRESS.finditer(text)]
    if None in addresses:
        return None
    rest = cc.ADDRESS.sub(" ", text)
    found = [*(address for address in addresses if address), *cc.full_names_inside(rest)]
    if not found:
        return None
    if not (_GRANT.search(rest) or _only_names(rest)) or _DENIAL.search(rest):
        return None
    return _agreed(found)


def _only_names(rest: str) -> bool:
    """Whether beside the address nothing stands but a name of the licence: `CC BY 4.0 (https://...)`."""
    bare = cc.plain_name(rest)
    return not bare or bool(cc.short_name(bare) or cc.full_name(bare))


def _agreed(found: list[Found]) -> Found:
    exact = list(dict.fromkeys(licence for licence in found if licence.spdx)) or found[:1]
    if len(exact) == 1 and all(licence.terms == exact[0].terms for licence in found):
        return exact[0]
    together = all_of(found)
    return Found(together.terms, None, together.flags | {"ambiguous"})
