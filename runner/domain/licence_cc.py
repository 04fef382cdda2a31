"""Creative Commons licences: by address, by full name (English, Japanese, Chinese) and by short name."""

from __future__ import annotations

import re
from functools import cache

from license_expression import get_spdx_licensing

from runner.domain.licence_terms import PUBLIC_DOMAIN, VERSION_UNKNOWN, Found, creative_commons

_PATH = re.compile(
    r"/licenses/(by|sa|nc|nd|by-sa|by-nc|by-nd|by-nc-sa|by-nc-nd|by-nd-nc|nc-sa|nd-nc)/([0-9]\.[0-9])(?:/([a-z]{2,4}))?"
    r"(?:/(?:legalcode|deed)(?:[._-][a-z_-]+)?(?:\.txt|\.html)?)?"
)
_PUBLIC_DOMAIN = re.compile(r"/(?:publicdomain/(zero|mark)(?:/1\.0)?(?:/[a-z]{2})?|licenses/(publicdomain))"
                            r"(?:/(?:legalcode|deed)(?:[._-][a-z_-]+)?)?")  # fmt: skip
ADDRESS = re.compile(r"(?:https?://)?(?:www\.)?creativecommons\.org(/(?:licenses|publicdomain)/[a-z0-9./_+-]*)")

_ELEMENT = {
    "by": r"attribution|by|表示|署名|姓名標示",
    "nc": r"non ?commercial|nc|非営利|非商业性使用|非商业性|非商業性",
    "nd": r"no ?deriv(?:ative)?s?(?: works?)?|nd|改変禁止|禁止演绎|禁止改作",
    "sa": r"share ?alike|sa|継承|相同方式共享|相同方式分享",
}
_ELEMENTS = "|".join(_ELEMENT.values())
_VERSION = r"(?:v(?:ersion)? ?)?([1-4](?:\.[0-9])?)"
_AFTER = r"(?: ?(?:international|unported|generic|国際|国际|國際|非移植|一般|deed|legalcode))?"
_LICENCE = (
    r"(?: ?(?:public )?(?:licen[cs]e|ライセンス|パブリック・ライセンス|许可协议|許可協議|公共许可协议|授權條款))?"
)
_LONG = r"(?:creative commons|クリエイティブ ?・? ?コモンズ|知识共享|創用 ?cc)(?: licen[cs]e|[ ・]?ライセンス)?"
_TAIL = rf"((?: ?(?:{_ELEMENTS})(?![a-z]))+){_LICENCE}(?: ?{_VERSION})?{_AFTER}(?: ([a-z]{{2,3}})(?![a-z]))?{_LICENCE}"
_FULL = re.compile(rf"{_LONG}{_TAIL}")
_TITLE = re.compile(rf"((?: ?(?:{_ELEMENTS})(?![a-z]))+) {_VERSION} (?:international|unported|generic)()(?:{_LICENCE})")
_SHORT = re.compile(rf"cc ?{_TAIL}")
_BOTH = re.compile(rf"(?:{_LONG})? ?{_TAIL} cc ?{_TAIL}")
_SEPARATORS = re.compile(r"[\s_,;:()\[\]\"'“”–—-]+")
_VERSIONS = frozenset({"1.0", "2.0", "2.1", "2.5", "3.0", "4.0"})


def path(text: str) -> Found | None:
    """The licence at `https://creativecommons.org` + `text`."""
    if match := _PUBLIC_DOMAIN.fullmatch(text):
        return Found(PUBLIC_DOMAIN, "CC0-1.0" if match[1] == "zero" else "CC-PDDC")
    match = _PATH.fullmatch(text)
    return _made(match[1].split("-"), match[2], match[3]) if match else None


def full_name(text: str) -> Found | None:
    """`Creative Commons Attribution 4.0 International`, also with its short name behind it."""
    plain = plain_name(text)
    if match := _BOTH.fullmatch(plain):
        first, second = _from_groups(match.groups()[:3]), _from_groups(match.groups()[3:])
        return second if first and second and first.terms == second.terms and second.spdx else first
    match = _FULL.fullmatch(plain) or _TITLE.fullmatch(plain)
    return _from_groups(match.groups()) if match else None


def short_name(text: str) -> Found | None:
    """`CC BY-NC-SA 4.0`, `cc-by`."""
    match = _SHORT.fullmatch(plain_name(text))
    return _from_groups(match.groups()) if match else None


def full_names_inside(text: str) -> list[Found]:
    """Every full name in a sentence, in order."""
    found = (_from_groups(match.groups()) for match in _FULL.finditer(plain_name(text)))
    return [licence for licence in found if licence]


def plain_name(text: str) -> str:
    """`text` with separators folded; the middle dot of Japanese names stays inside words only."""
    return re.sub(r"^the ", "", " ".join(_SEPARATORS.sub(" ", text).split()).strip(" ."))


def _from_groups(groups: tuple[str | None, ...]) -> Found | None:
    words, number, place = groups
    elements = [name for name, pattern in _ELEMENT.items() if re.search(rf"(?:{pattern})(?![a-z])", words or "")]
    version = number if number is None or "." in number else f"{number}.0"
    return _made(elements, version, place)


def _made(elements: list[str], version: str | None, place: str | None) -> Found | None:
    parts = frozenset(elements)
    if {"sa", "nd"} <= parts:
        return None
    terms = creative_commons(parts)
    if version is None:
        return Found(terms, None, VERSION_UNKNOWN)
    if version not in _VERSIONS:
        return Found(terms, None, VERSION_UNKNOWN)
    name = "-".join(["CC", *(part.upper() for part in ("by", "nc", "nd", "sa") if part in parts), version])
    if place and place not in ("un", "org"):
        name += f"-{place.upper()}"
    known = name in _spdx_names()
    return Found(terms, name if known else None, frozenset() if known else frozenset({"ported"}))


@cache
def _spdx_names() -> frozenset[str]:
    return frozenset(get_spdx_licensing().known_symbols)
