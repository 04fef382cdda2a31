"""PDFs that are looked at no further than their first bytes."""

from __future__ import annotations

import pathlib

from runner.domain.errors import Invalid
from runner.ports import PdfFacts


class MemoryPdfs:
    """`facts` is what every file that begins like a PDF is said to hold."""

    def __init__(self) -> None:
        self.facts = PdfFacts(pages=1, letters=1000, garbled=0.0)

    def inspect(self, path: pathlib.Path) -> PdfFacts:
        start = path.read_bytes()[:1024]
        if not start:
            raise Invalid("The file is empty.", "pdf_empty")
        if b"%PDF-" not in start:
            raise Invalid("The file is no PDF.", "pdf_not_a_pdf")
        return self.facts

    def render(self, html: str, language: str, run_id: str) -> bytes:
        return f"%PDF-1.7\n% {run_id} {language}\n{html}".encode()
