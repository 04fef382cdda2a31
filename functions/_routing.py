"""Parts of addresses that a rule has to name more narrowly than `<name>`."""

from __future__ import annotations

from werkzeug.routing import BaseConverter


class PaperPart(BaseConverter):
    """`<paper:paper_id>`: any segment but the words that stand for themselves behind /papers/ (no paper has such an id)."""

    regex = r"(?!import(?:/|\Z))[^/]+"
