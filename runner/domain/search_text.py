"""What a search looks at: folded text, so that case and width of letters do not matter (paperbench-api.md 2)."""

from __future__ import annotations

import unicodedata

from runner.domain.papers import Paper


def fold(text: str) -> str:
    """NFKC without case (the Unicode toNFKC_Casefold without its list of ignorable characters)."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def of_paper(paper: Paper) -> str:
    """Everything of a paper that words are looked for in, one part per line so that no word matches across parts."""
    parts = (paper.title, *paper.authors, paper.venue or "", paper.paper_id, paper.source)
    return "\n".join(fold(part) for part in parts)
