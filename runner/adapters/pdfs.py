"""The port `Pdfs`: looking into papers, and printing reports. Both happen in child processes."""

from __future__ import annotations

from runner.adapters.pdftext import PdfText


class PdfFiles(PdfText):
    def render(self, html: str, language: str, run_id: str) -> bytes:
        from runner.adapters import report_pdf

        return report_pdf.render_pdf(html, language, run_id)
