"""The content type of a file by its name, the same on every machine."""

from __future__ import annotations

import mimetypes

DEFAULT = "application/octet-stream"
_TEXT = ("log", "md", "rst", "toml", "yaml", "yml", "tsv", "py", "sh", "r", "jl", "c", "h", "cpp", "rs", "go", "tex")
_KNOWN = mimetypes.MimeTypes(filenames=())
_KNOWN.add_type("text/csv", ".csv")
_KNOWN.add_type("application/json", ".json")
_KNOWN.add_type("text/plain", ".txt")


def of(name: str) -> str:
    """`text/plain; charset=utf-8` for what people read, `application/octet-stream` for what is not known."""
    if name.rsplit(".", 1)[-1].lower() in _TEXT:
        return "text/plain; charset=utf-8"
    kind, encoding = _KNOWN.guess_type(name, strict=True)
    if kind is None or encoding is not None:
        return DEFAULT
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
