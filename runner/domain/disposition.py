"""How a browser shall take a file: the header `Content-Disposition` by RFC 6266."""

from __future__ import annotations

from urllib.parse import quote

NEVER_INLINE = ("html", "svg", "xml", "javascript")
"""Kinds of files that a browser would run on the origin they come from."""


def header(filename: str, content_type: str, inline: bool) -> str:
    """ASCII. The name stands there twice where it is not ASCII: once replaced, once whole."""
    risky = any(part in content_type.lower() for part in NEVER_INLINE)
    kind = "inline" if inline and not risky else "attachment"
    name = "".join(c for c in filename if c.isprintable() and c not in "/\\") or "file"
    plain = "".join(c if " " <= c <= "~" and c not in '"%' else "_" for c in name)
    extended = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return f'{kind}; filename="{plain}"{extended}'
