"""A whole text as the name or URI of one licence. Texts are normalised: NFKC, lower case, single spaces."""

from __future__ import annotations

import re

from runner.domain import licence_cc as cc
from runner.domain import licence_gnu
from runner.domain.licence_terms import (
    AMBIGUOUS,
    ATTRIBUTION,
    LOCAL_ONLY,
    NOT_KNOWN,
    PUBLIC_DOMAIN,
    RESTRICTED,
    SHARE_ALIKE,
    VERSION_UNKNOWN,
    Found,
    Terms,
)

_ARXIV = Found(LOCAL_ONLY, "LicenseRef-arXiv-nonexclusive-distrib-1.0")
_ARXIV_ASSUMED = Found(LOCAL_ONLY, "LicenseRef-arXiv-assumed-1991-2003")
_RESERVED = Found(RESTRICTED, "LicenseRef-all-rights-reserved")
_PROPRIETARY = Found(RESTRICTED, "LicenseRef-proprietary")
_TDM = Found(RESTRICTED, "LicenseRef-publisher-tdm")

_SPDX: dict[Terms, str] = {
    PUBLIC_DOMAIN: "CC0-1.0 CC-PDDC Unlicense PDDL-1.0",
    ATTRIBUTION: (
        "MIT MIT-0 ISC X11 Zlib NCSA PostgreSQL BSL-1.0 Python-2.0 PSF-2.0 0BSD BSD-1-Clause BSD-2-Clause "
        "BSD-3-Clause BSD-4-Clause BSD-2-Clause-Patent BSD-3-Clause-Clear BSD-3-Clause-LBNL Apache-1.0 Apache-1.1 "
        "Apache-2.0 AFL-3.0 ECL-2.0 BlueOak-1.0.0 MulanPSL-2.0 UPL-1.0 ODC-By-1.0"
    ),
    SHARE_ALIKE: (
        "GPL-1.0-only GPL-1.0-or-later GPL-2.0-only GPL-2.0-or-later GPL-3.0-only GPL-3.0-or-later LGPL-2.0-only "
        "LGPL-2.0-or-later LGPL-2.1-only LGPL-2.1-or-later LGPL-3.0-only LGPL-3.0-or-later AGPL-1.0-only "
        "AGPL-1.0-or-later AGPL-3.0-only AGPL-3.0-or-later MPL-1.1 MPL-2.0 EPL-1.0 EPL-2.0 EUPL-1.1 EUPL-1.2 CDDL-1.0 "
        "CDDL-1.1 OSL-3.0 CECILL-2.1 ODbL-1.0"
    ),
}
_NAMES: dict[str, Found] = {
    "cc0": Found(PUBLIC_DOMAIN, "CC0-1.0"),
    "cc zero": Found(PUBLIC_DOMAIN, "CC0-1.0"),
    "cc0 1.0 universal": Found(PUBLIC_DOMAIN, "CC0-1.0"),
    "cc0 1.0 universal public domain dedication": Found(PUBLIC_DOMAIN, "CC0-1.0"),
    "creative commons zero": Found(PUBLIC_DOMAIN, "CC0-1.0"),
    "creative commons zero 1.0 universal": Found(PUBLIC_DOMAIN, "CC0-1.0"),
    "creative commons cc0": Found(PUBLIC_DOMAIN, "CC0-1.0"),
    "creative commons cc0 1.0 universal": Found(PUBLIC_DOMAIN, "CC0-1.0"),
    "creative commons cc0 1.0 universal public domain dedication": Found(PUBLIC_DOMAIN, "CC0-1.0"),
    "unlicense": Found(PUBLIC_DOMAIN, "Unlicense"),
    "mit mit": Found(ATTRIBUTION, "MIT"),
    "expat": Found(ATTRIBUTION, "MIT"),
    "mit expat": Found(ATTRIBUTION, "MIT"),
    "isc isc": Found(ATTRIBUTION, "ISC"),
    "bsd": Found(ATTRIBUTION, None, AMBIGUOUS),
    "bsd style": Found(ATTRIBUTION, None, AMBIGUOUS),
    "new bsd": Found(ATTRIBUTION, "BSD-3-Clause"),
    "bsd 3 clause new or revised": Found(ATTRIBUTION, "BSD-3-Clause"),
    "bsd 2 clause simplified": Found(ATTRIBUTION, "BSD-2-Clause"),
    "modified bsd": Found(ATTRIBUTION, "BSD-3-Clause"),
    "revised bsd": Found(ATTRIBUTION, "BSD-3-Clause"),
    "simplified bsd": Found(ATTRIBUTION, "BSD-2-Clause"),
    "freebsd": Found(ATTRIBUTION, "BSD-2-Clause"),
    "original bsd": Found(ATTRIBUTION, "BSD-4-Clause"),
    "apache": Found(ATTRIBUTION, None, VERSION_UNKNOWN),
    "apache software": Found(ATTRIBUTION, None, VERSION_UNKNOWN),
    "mpl": Found(SHARE_ALIKE, None, VERSION_UNKNOWN),
    "mozilla": Found(SHARE_ALIKE, None, VERSION_UNKNOWN),
    "mozilla 2.0": Found(SHARE_ALIKE, "MPL-2.0"),
    "creative commons": Found(NOT_KNOWN, None, AMBIGUOUS),
    "cc": Found(NOT_KNOWN, None, AMBIGUOUS),
    "arxiv": _ARXIV,
    "arxiv non exclusive": _ARXIV,
    "arxiv nonexclusive": _ARXIV,
    "arxiv nonexclusive distrib 1.0": _ARXIV,
    "arxiv nonexclusive distrib": _ARXIV,
    "arxiv perpetual non exclusive": _ARXIV,
    "arxiv perpetual non exclusive 1.0": _ARXIV,
    "arxiv non exclusive distribution": _ARXIV,
    "arxiv.org perpetual non exclusive": _ARXIV,
    "arxiv.org perpetual non exclusive to distribute this article": _ARXIV,
    "arxiv assumed 1991 2003": _ARXIV_ASSUMED,
    "assumed 1991 2003": _ARXIV_ASSUMED,
    "all rights reserved": _RESERVED,
    "no license": _RESERVED,
    "無断転載禁止": _RESERVED,
    "無断転載を禁ず": _RESERVED,
    "版权所有": _RESERVED,
    "版權所有": _RESERVED,
    "保留所有权利": _RESERVED,
    "保留一切权利": _RESERVED,
    "proprietary": _PROPRIETARY,
    "commercial": _PROPRIETARY,
    "closed source": _PROPRIETARY,
    "プロプライエタリ": _PROPRIETARY,
    "专有": _PROPRIETARY,
    "tdm": _TDM,
    "text and data mining": _TDM,
    "publisher tdm": _TDM,
}
_BY_SPDX = {name.lower(): Found(terms, name) for terms, names in _SPDX.items() for name in names.split()}
_OWN = {str(found.spdx).lower(): found for found in (_ARXIV, _ARXIV_ASSUMED, _RESERVED, _PROPRIETARY, _TDM)}
_COPYRIGHT = re.compile(r"(©|\(c\)|copyright)[^a-z0-9].{0,300}\ball rights reserved\.?")
_URI = re.compile(
    r"(?:https?:)?(?://)?(?:www\.)?([a-z0-9.-]+\.(?:org|com|net|io|edu|gov|ac\.jp))(/[^\s?#]*)?(?:[?#]\S*)?"
)
_TDM_URI = re.compile(r"\btdm\b|tdm_|/tdm|text-?and-?data-?mining|tdm-?licen[cs]e|userlicen[cs]e")
_NOISE = re.compile(
    r"\b(the|licen[cs]es?|version|public|international|unported|generic|agreement|"
    r"v(?=\.? ?[0-9]))\b\.?|(?<=[a-z ])\bv\.?(?=[0-9])"
)
_TWICE = re.compile(r"([^()]{1,200}) \(([^()]{1,50})\)")
_CLAUSES = re.compile(r"bsd ([1-4]) clause|([1-4]) clause bsd|([1-4]) clause")
_APACHE = re.compile(r"(?:apache|asl|apache software)(?: ?2(?:\.0)?| (1\.[01]))")


def whole(text: str) -> Found | None:
    """The licence that `text` names and nothing else, None if it is no such name."""
    found = uri(text) or cc.full_name(text) or cc.short_name(text)
    if found:
        return found
    if _COPYRIGHT.fullmatch(text):
        return _RESERVED
    return _named(text) or _named_twice(text)


def uri(text: str) -> Found | None:
    """The licence at an address: Creative Commons, arXiv, OSI, SPDX, Apache, GNU, and publishers' mining terms."""
    match = _URI.fullmatch(text.strip("<>()[] "))
    if match is None or "/" not in text:
        return None
    host, path = match[1], (match[2] or "").rstrip("/")
    if host == "creativecommons.org":
        return cc.path(path)
    if host == "arxiv.org":
        kind = path.removeprefix("/licenses/")
        return {"nonexclusive-distrib/1.0": _ARXIV, "assumed-1991-2003": _ARXIV_ASSUMED}.get(kind)
    if host in ("opensource.org", "spdx.org", "apache.org", "gnu.org"):
        name = re.sub(r"(-standalone|\.en)?(\.html|\.txt|\.php)?\Z", "", path.rpartition("/")[2])
        return _named(name.replace("license-", "apache ") if host == "apache.org" else name)
    return _TDM if _TDM_URI.search(host + path) else None


def _named(text: str) -> Found | None:
    key = _key(text)
    spdx = key.replace(" ", "-")
    return (
        _BY_SPDX.get(spdx)
        or _OWN.get(_unkeyed(text))
        or _NAMES.get(key)
        or _bsd(key)
        or _apache(key)
        or licence_gnu.named(key)
    )


def _named_twice(text: str) -> Found | None:
    """`GNU General Public License v3 (GPLv3)`: a name and behind it its short form, which must agree."""
    match = _TWICE.fullmatch(text)
    if match is None:
        return None
    long, short = _named(match[1]), _named(match[2])
    if long is None or short is None or long.terms != short.terms:
        return None
    if long.spdx and short.spdx and long.spdx != short.spdx:
        return None
    return long if long.spdx else short


def _key(text: str) -> str:
    """`text` without the words and signs that make no difference."""
    bare = re.sub(r"\blicen[cs]e ?, version\b", " ", text)
    bare = re.sub(r"\barxiv\.org\b", "arxiv.org", bare).replace("open source", "")
    bare = re.sub(r"[\s_,;:()\[\]\"'“”・-]+", " ", bare).strip(" .")
    return " ".join(_NOISE.sub(" ", bare).split())


def _unkeyed(text: str) -> str:
    return text.strip(" .").replace(" ", "-")


def _bsd(key: str) -> Found | None:
    match = _CLAUSES.fullmatch(re.sub(r"\b(new|modified|revised|simplified|original|freebsd|bsd)\b (?=.*bsd)", "", key))
    if match is None or "bsd" not in key:
        return None
    clauses = next(group for group in match.groups() if group)
    return _BY_SPDX.get(f"bsd-{clauses}-clause")


def _apache(key: str) -> Found | None:
    match = _APACHE.fullmatch(key)
    return _BY_SPDX[f"apache-{match[1] or '2.0'}"] if match else None
