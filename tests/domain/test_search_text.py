"""What a search looks at."""

from __future__ import annotations

import pytest

from runner.domain.search_text import fold


@pytest.mark.parametrize(
    "one, other",
    [("STRASSE", "straße"), ("ＡＢＣ", "abc"), ("ﬁne", "FINE"), ("é", "e\u0301"), ("ΣΊΣΥΦΟΣ", "σίσυφοσ"), ("①", "1")],
)
def test_case_and_width_do_not_matter(one, other):
    assert fold(one) == fold(other)


@pytest.mark.parametrize("text", ["ϓ", "ſ\u0323\u0307", "\u1e9b\u0323", "İ"])
def test_folding_twice_changes_nothing_more(text):
    assert fold(fold(text)) == fold(text)
