"""Names of claims that nobody named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import slugs


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Part One (new)", "part-one-new"),
        ("a.b_c-d", "a.b_c-d"),
        ("--x--", "x"),
        ("再現", "claim"),
        ("A" * 100, "a" * 80),
    ],
)
def test_slugs_of_node_ids(text: str, slug: str) -> None:
    assert slugs.slugify(text) == slug


def test_equal_slugs_are_numbered_in_order_and_never_collide() -> None:
    assert slugs.unique_slugs(["A b", "a-b", "a-b-2", "a b"]) == ["a-b", "a-b-2", "a-b-2-2", "a-b-3"]
    assert slugs.unique_slugs(["x" * 90, "x" * 90])[1] == "x" * 78 + "-2"


@given(st.lists(st.text(), max_size=20))
def test_every_list_of_texts_gets_distinct_slugs(texts: list[str]) -> None:
    made = slugs.unique_slugs(texts)
    assert len(set(made)) == len(texts)
    assert all(map(slugs.is_slug, made))
