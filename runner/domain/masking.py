"""Secrets become `[masked]` before anything is shown (reproduction.md 3, masking).

Shown text loses the exact secret values of this service and all that looks like a well-known kind of key. Raw logs keep
every other byte, so there only the exact values are replaced, and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

MASK = "[masked]"
SHORTEST = 8
"""Values below this many characters are words, not secrets: masking them would garble logs."""
BLOCK_LINES = 200
"""A key block that has not ended after so many lines was none."""

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD", re.IGNORECASE)
_SHAPES = tuple(
    (hint, re.compile(shape))
    for hint, shape in (
        ("sk-", r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}"),
        ("gh", r"(?<![A-Za-z0-9])gh[a-z]_[A-Za-z0-9]{20,}"),
        ("github_pat_", r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,}"),
        ("AKIA", r"(?<![A-Za-z0-9])AKIA[A-Z0-9]{16}"),
        ("ASIA", r"(?<![A-Za-z0-9])ASIA[A-Z0-9]{16}"),
        ("AIza", r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}"),
        ("hf_", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{20,}"),
        ("eyJ", r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]*"),  # JWT, RFC 7519
        ("://", r"(?<=://)[^\s/@:]*:[^\s/@]+(?=@)"),
        (
            "-----BEGIN ",  # PEM, RFC 7468: up to its end, or what looks like base64 after it
            r"-----BEGIN [A-Z0-9 ]+-----(?:(?:[^-]|-(?!----))*-----END [A-Z0-9 ]+-----|(?:\s+[A-Za-z0-9+/=]{16,})*)",
        ),
    )
)
"""A shape is looked for only where its hint stands. Each takes linear time on any text."""
_IN_BLOCK = re.compile(r"\s*(?:[A-Za-z0-9+/=]*|[A-Za-z-]+: .*)\s*")  # RFC 1421: base64 or a header


def secret_values(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables that are named like secrets."""
    return tuple(value for name, value in environment.items() if _SECRET_NAME.search(name))


class Masker:
    """Masks any text at once. A secret of several lines is masked line by line, too."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        values = {part.strip() for secret in secrets for part in (secret, *secret.splitlines())}
        self.secrets = tuple(sorted((v for v in values if len(v) >= SHORTEST), key=lambda v: (-len(v), v)))

    def __call__(self, text: str) -> str:
        for secret in self.secrets:
            if secret in text:
                text = text.replace(secret, MASK)
        for hint, shape in _SHAPES:
            if hint in text:
                text = shape.sub(MASK, text)
        return text


class LineMasker:
    """Masks the lines of one log in order: it remembers that a key block has begun and not ended."""

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._block_lines = 0

    def __call__(self, line: str) -> str:
        if self._block_lines and "-----END " in line:
            self._block_lines = 0
            return MASK
        if self._block_lines and _IN_BLOCK.fullmatch(line):
            self._block_lines -= 1
            return MASK
        begun = line.rfind("-----BEGIN ")
        self._block_lines = BLOCK_LINES if begun >= 0 and "-----END " not in line[begun:] else 0
        return self._masker(line)


class RawMasker:
    """Masks exact values in a stream of bytes; where the stream was cut makes no difference.

    Bytes that may be the beginning of a secret are held back until the next call.
    """

    def __init__(self, masker: Masker) -> None:
        self._secrets = tuple(secret.encode(errors="surrogateescape") for secret in masker.secrets)
        self._pattern = re.compile(b"|".join(map(re.escape, self._secrets))) if self._secrets else None
        self._first = re.compile(b"|".join(re.escape(secret[:1]) for secret in self._secrets))
        self._longest = max(map(len, self._secrets), default=0)
        self._held = b""
        self.masked = 0

    def feed(self, data: bytes) -> bytes:
        if self._pattern is None:
            return data
        text = self._held + data
        held_from, done, pieces = self._held_from(text, 0), 0, []
        for found in self._pattern.finditer(text):
            if found.start() >= held_from:
                break
            pieces += [text[done : found.start()], MASK.encode()]
            done = found.end()
            held_from = held_from if held_from >= done else self._held_from(text, done)
        self.masked += len(pieces) // 2
        self._held = text[held_from:]
        return b"".join([*pieces, text[done:held_from]])

    def close(self) -> bytes:
        """What was held back."""
        if self._pattern is None:
            return b""
        rest, count = self._pattern.subn(MASK.encode(), self._held)
        self.masked, self._held = self.masked + count, b""
        return rest

    def _held_from(self, text: bytes, start: int) -> int:
        """Where the longest end of `text` lies that begins a secret and does not complete it."""
        for found in self._first.finditer(text, max(start, len(text) - self._longest + 1)):
            end = text[found.start() :]
            if any(len(end) < len(secret) and secret.startswith(end) for secret in self._secrets):
                return found.start()
        return len(text)
