"""The child of `pdftext`: prints what it finds in the PDF named by its argument, one JSON line per step.

Run as a script, isolated from everything else of Reprise. An exception ends it; the parent uses the lines so far.
"""

from __future__ import annotations

import json
import resource
import sys
import unicodedata
from typing import Any

from pypdf import PasswordType, PdfReader

CPU_LIMIT_S = 25
MEMORY_LIMIT_BYTES = 2 * 2**30
PAGES_READ = 3


def main(path: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(path, "rb") as file:
        reader = PdfReader(file)
        if reader.is_encrypted and reader.decrypt("") is PasswordType.NOT_DECRYPTED:
            tell(fault="pdf_encrypted")
            return
        pages = len(reader.pages)
        if pages < 1 or reader.pages[0] is None:
            tell(fault="pdf_damaged")
            return
        tell(pages=pages)
        read_text(reader, min(pages, PAGES_READ))


def read_text(reader: PdfReader, pages: int) -> None:
    """Tells the sums after each page."""
    letters = characters = unreadable = 0
    for number in range(pages):
        for character in reader.pages[number].extract_text():
            characters += not character.isspace()
            letters += character.isalpha()
            unreadable += character in "\0\ufffd" or unicodedata.category(character) == "Co"
        tell(letters=letters, characters=characters, unreadable=unreadable)


def tell(**facts: Any) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
