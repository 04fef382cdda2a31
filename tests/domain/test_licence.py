"""What a licence text allows."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain.licence import classify, normalise

FIELDS = ("spdx", "permissive", "modifiable", "redistributable", "commercial", "usable", "scope")


def test_every_shared_case_is_right(shared_data: pathlib.Path) -> None:
    for row in json.loads((shared_data / "cases/licences.json").read_text(encoding="utf-8")):
        for text in (row["raw"], row["raw"].upper(), f"  {row['raw']} "):
            got = classify(text).as_json()
            assert {field: got[field] for field in FIELDS} == {field: row[field] for field in FIELDS}, text
            assert set(row["flags"]) <= set(got["flags"]), text
            assert got["note"]
            assert row["scope"] != "non_commercial" or "non-commercial" in got["note"]


@pytest.mark.parametrize(
    ("text", "spdx"),
    [
        ("https://creativecommons.org/licenses/by-nc-nd/4.0/deed.ja", "CC-BY-NC-ND-4.0"),
        ("http://www.creativecommons.org/licenses/by-sa/3.0", "CC-BY-SA-3.0"),
        ("https://creativecommons.org/licenses/by/3.0/us/", "CC-BY-3.0-US"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "CC-PDDC"),
        ("http://creativecommons.org/licenses/publicdomain/", "CC-PDDC"),
        ("http://arxiv.org/licenses/assumed-1991-2003/", "LicenseRef-arXiv-assumed-1991-2003"),
        ("arXiv assumed (1991-2003)", "LicenseRef-arXiv-assumed-1991-2003"),
        ("https://www.apache.org/licenses/LICENSE-2.0", "Apache-2.0"),
        ("https://opensource.org/license/mit/", "MIT"),
        ("https://www.gnu.org/licenses/gpl-3.0.en.html", "GPL-3.0-only"),
        ("https://www.elsevier.com/tdm/userlicense/1.0/", "LicenseRef-publisher-tdm"),
        ("http://doi.wiley.com/10.1002/tdm_license_1.1", "LicenseRef-publisher-tdm"),
        ("Creative Commons Attribution 4.0 International (CC BY 4.0)", "CC-BY-4.0"),
        ("The Creative Commons Attribution-NonCommercial 4.0 International Public License", "CC-BY-NC-4.0"),
        ("CC BY 4.0 (https://creativecommons.org/licenses/by/4.0/)", "CC-BY-4.0"),
        ("ＣＣ ＢＹ ４．０", "CC-BY-4.0"),
        ("cc_by_nc_sa_4.0", "CC-BY-NC-SA-4.0"),
        ("クリエイティブ・コモンズ 表示 - 非営利 - 改変禁止 4.0 国際", "CC-BY-NC-ND-4.0"),
        ("クリエイティブ・コモンズ・ライセンス 表示-継承 4.0 国際", "CC-BY-SA-4.0"),
        ("知识共享署名-非商业性使用-相同方式共享 4.0 国际许可协议", "CC-BY-NC-SA-4.0"),
        ("知识共享 署名-禁止演绎 4.0 国际许可协议", "CC-BY-ND-4.0"),
        ("The MIT License (MIT)", "MIT"),
        ("Apache License, Version 2.0", "Apache-2.0"),
        ('BSD 3-Clause "New" or "Revised" License', "BSD-3-Clause"),
        ("3-clause BSD", "BSD-3-Clause"),
        ("GPL-3.0+", "GPL-3.0-or-later"),
        ("GNU General Public License v2 or any later version", "GPL-2.0-or-later"),
        ("GNU Affero General Public License v3.0", "AGPL-3.0-only"),
        ("GNU Lesser General Public License v2 or later (LGPLv2+)", "LGPL-2.0-or-later"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "GPL-2.0-only WITH Classpath-exception-2.0"),
        ("© 2024 A Publisher. All rights reserved.", "LicenseRef-all-rights-reserved"),
        ("Commercial", "LicenseRef-proprietary"),
        ("LicenseRef-arXiv-nonexclusive-distrib-1.0", "LicenseRef-arXiv-nonexclusive-distrib-1.0"),
    ],
)
def test_names_and_addresses(text: str, spdx: str) -> None:
    assert classify(text).spdx == spdx


@pytest.mark.parametrize(
    ("text", "flag", "scope"),
    [
        ("CC BY-NC", "version_unknown", "non_commercial"),
        ("GPL", "version_unknown", "share_alike"),
        ("Apache", "version_unknown", "attribution"),
        ("GNU GPL version 3", "ambiguous", "share_alike"),
        ("GPL-3.0 with some exception of ours", "ambiguous", "share_alike"),
        ("Creative Commons", "ambiguous", "unknown"),
        ("https://creativecommons.org/licenses/by/2.1/jp/", "ported", "attribution"),
    ],
)
def test_what_the_text_leaves_open_is_flagged(text: str, flag: str, scope: str) -> None:
    found = classify(text)
    assert flag in found.flags
    assert found.scope == scope


@pytest.mark.parametrize(
    ("text", "spdx", "scope"),
    [
        ("MIT/Apache-2.0", "MIT OR Apache-2.0", "attribution"),
        ("CC BY-NC 4.0 OR GPL-3.0-only", "CC-BY-NC-4.0 OR GPL-3.0-only", "share_alike"),
        ("MIT AND CC-BY-NC-4.0", "MIT AND CC-BY-NC-4.0", "non_commercial"),
        ("(MIT OR GPL-3.0-only) AND CC-BY-ND-4.0", "(MIT OR GPL-3.0-only) AND CC-BY-ND-4.0", "restricted"),
        ("MIT OR GPLv2+ AND CC-BY-4.0", "MIT OR (GPL-2.0-or-later AND CC-BY-4.0)", "attribution"),
        ("MIT OR something", None, "unknown"),
        ("(MIT OR", None, "unknown"),
    ],
)
def test_expressions(text: str, spdx: str | None, scope: str) -> None:
    found = classify(text)
    assert (found.spdx, found.scope) == (spdx, scope)


def test_and_keeps_only_rights_that_both_give() -> None:
    found = classify("CC BY-ND 4.0 AND CC BY-NC 4.0")
    assert (found.redistributable, found.modifiable, found.commercial) == (True, False, False)


@pytest.mark.parametrize(
    ("text", "spdx"),
    [
        ("This work is licensed under a Creative Commons Attribution 4.0 International License.", "CC-BY-4.0"),
        ("The text is available under https://creativecommons.org/licenses/by-nc/4.0/.", "CC-BY-NC-4.0"),
        ("この作品はクリエイティブ・コモンズ 表示 4.0 国際 ライセンスの下に提供されています。", "CC-BY-4.0"),
        ("本作品采用知识共享署名 4.0 国际许可协议进行许可。", "CC-BY-4.0"),
    ],
)
def test_a_sentence_that_grants_is_that_licence(text: str, spdx: str) -> None:
    assert classify(text).spdx == spdx


@pytest.mark.parametrize(
    "text",
    [
        "A survey of CC BY works",
        "A survey of CC BY / CC0 works",
        "We compare Creative Commons Attribution 4.0 with others",
        "see https://creativecommons.org/licenses/by/4.0/ for a licence that we like",
        "This is not licensed under https://creativecommons.org/licenses/by/4.0/",
        "Non-Commercial",
        "non-commercial use only",
        "NOASSERTION",
        "see LICENSE file",
        "https://example.org/licence",
        "CC BY 5.0",
        "CC BY-ND-SA 4.0",
        "commercially licensed",
    ],
)
def test_prose_and_the_unknown_grant_nothing(text: str) -> None:
    found = classify(text)
    assert (found.spdx, found.scope, found.usable) == (None, "unknown", False)


def test_different_grants_in_one_sentence_give_what_all_give() -> None:
    by, nd = "https://creativecommons.org/licenses/by/4.0/", "https://creativecommons.org/licenses/by-nc-nd/4.0/"
    found = classify(f"Text released under {by} , images under {nd}")
    assert (found.spdx, found.flags) == (None, ("ambiguous",))
    assert (found.redistributable, found.modifiable, found.commercial) == (True, False, False)


VOCABULARY = (
    "cc by nc nd sa 4.0 mit gpl v3 or and / ( ) with licensed under https://creativecommons.org/licenses/by/4.0/ + "
    "bsd creative commons attribution 表示 クリエイティブ・コモンズ all rights reserved © arxiv apache 2.0 later any"
)
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.one_of(st.text(), st.lists(WORDS, max_size=25).map(" ".join)))
def test_classifying_never_raises_and_the_stored_form_means_the_same(text: str) -> None:
    found = classify(text)
    again: dict[str, Any] = classify(normalise(text)).as_json()
    assert found.license == normalise(text)
    assert {field: again[field] for field in FIELDS} == {field: found.as_json()[field] for field in FIELDS}
    assert found.usable == ((found.permissive and found.commercial) or found.scope == "local_only")


def test_a_very_long_text_is_read_in_no_time() -> None:
    for text in ("a " * 100_000, "(" * 3000 + "mit", "mit or " * 500, "cc by " * 600, "creative commons " * 200):
        assert classify(text).scope in ("unknown", "attribution")
