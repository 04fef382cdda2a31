"""What a check may look at: the submission's folder after the run, and our own log of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

LOG_NAME = "reproduce.log"
MAX_READ_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class FileFact:
    """A plain file after the run; `produced` = it was not there before, or its content changed."""

    size_bytes: int
    sha256: str
    produced: bool


class ExecutedTree(Protocol):
    """Read-only. Paths are relative, `/` between parts, normalised. Links are neither listed nor followed."""

    def files(self) -> Mapping[str, FileFact]:
        """Every plain file by path, `reproduce.log` left out. Asked for often: keep it."""
        ...

    def read(self, path: str, limit_bytes: int) -> bytes | None:
        """The bytes of a listed file; None when it is not there or larger than `limit_bytes`."""
        ...

    def read_log(self, limit_bytes: int) -> bytes | None:
        """`reproduce.log` as we wrote it; None when there is none or it is larger than `limit_bytes`."""
        ...


@dataclass(frozen=True)
class MemoryTree:
    """An executed tree held in memory; `kept` are files that came with the submission and did not change."""

    produced: Mapping[str, bytes] = field(default_factory=dict)
    kept: Mapping[str, bytes] = field(default_factory=dict)
    log: bytes | None = b""

    def files(self) -> dict[str, FileFact]:
        return {
            path: FileFact(len(data), hashlib.sha256(data).hexdigest(), path in self.produced)
            for path, data in {**self.kept, **self.produced}.items()
        }

    def read(self, path: str, limit_bytes: int) -> bytes | None:
        data = self.produced.get(path, self.kept.get(path))
        return data if data is not None and len(data) <= limit_bytes else None

    def read_log(self, limit_bytes: int) -> bytes | None:
        return self.log if self.log is not None and len(self.log) <= limit_bytes else None
