"""`reproduce.log`: the script's bytes as they came, exact secrets of this service masked, up to a limit."""

from __future__ import annotations

import pathlib
from types import TracebackType

from runner.domain.masking import Masker, RawMasker


class RawLog:
    """Use as a context manager. `masked` counts the secrets taken out, `left_out_bytes` what came after the limit."""

    def __init__(self, path: pathlib.Path, limit_bytes: int, masker: Masker) -> None:
        self._file = open(path, "wb")  # noqa: SIM115  closed by __exit__
        self._room = limit_bytes
        self._masker = RawMasker(masker)
        self.left_out_bytes = 0

    @property
    def masked(self) -> int:
        return self._masker.masked

    def write(self, output: bytes) -> None:
        self._keep(self._masker.feed(output))

    def __enter__(self) -> RawLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._file:
            self._keep(self._masker.close())

    def _keep(self, data: bytes) -> None:
        kept = data[: self._room]
        self._room -= len(kept)
        self.left_out_bytes += len(data) - len(kept)
        self._file.write(kept)
        self._file.flush()
