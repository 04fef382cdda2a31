"""Whether links stay inside their archive."""

from __future__ import annotations

import pytest

from runner.domain.archive_links import stays_inside


@pytest.mark.parametrize(
    ("links", "inside"),
    [
        ({"l": "a"}, True),
        ({"d/l": "../a"}, True),
        ({"d/l": "./x/../../a"}, True),
        ({"l": "nothing/here"}, True),
        ({"l": "."}, True),
        ({"l": ".."}, False),
        ({"d/l": "../../a"}, False),
        ({"l": "/etc/passwd"}, False),
        ({"l": "m", "m": "../x"}, False),
        ({"l": "m/x", "m": "/etc"}, False),
        ({"d/e/l": "up/../..", "d/e/up": "../../a"}, False),
        ({"l": "up/b", "up": "d/e", "d/e/b": "../../a"}, True),
        ({"l": "l"}, False),
        ({"l": "m", "m": "l"}, False),
        ({"l": "/".join(["x"] * 501)}, False),
    ],
)
def test_chains_are_followed(links, inside):
    assert stays_inside(next(iter(links)), links) is inside
