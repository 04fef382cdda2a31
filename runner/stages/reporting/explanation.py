"""A model's explanation may use a little Markdown; everything else in it is text (reports-and-exports.md 2)."""

from __future__ import annotations

import functools

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

TAGS = {"p", "br", "strong", "em", "code", "pre", "ul", "ol", "li"}


def to_html(text: str) -> Markup:
    """A model's words through Markdown and an allow-list of tags without attributes."""
    return Markup(nh3.clean(_markdown().render(text), tags=TAGS, attributes={}, link_rel=None))


@functools.cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(["image", "link", "autolink"])
