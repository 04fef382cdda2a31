"""The files that rules read: opened once, decoded once, and why one could not be read."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from runner.domain.executed_tree import LOG_NAME, MAX_READ_BYTES, ExecutedTree
from runner.domain.json_text import RepeatedKey, object_once

T = TypeVar("T")


class Unreadable(Exception):
    """`code`: file_absent, file_too_large, value_unreadable, value_not_finite. `sentence` is for a person."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence


@dataclass(frozen=True, slots=True)
class Scalar:
    """A JSON number or NaN/Infinity as it was written."""

    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A data row of a table; `line` counts from 1 in the file."""

    line: int
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass
class Sources:
    """Reads files of an executed tree, and `reproduce.log`, for many rules."""

    tree: ExecutedTree
    _kept: dict[tuple[str, str], Any] = field(default_factory=dict)
    _kept_bytes: int = 0

    def is_unchanged(self, path: str) -> bool:
        """Whether a file came with the submission and the run did not change it."""
        fact = self.tree.files().get(path)
        return fact is not None and not fact.produced

    def text(self, path: str) -> bytes:
        """The file as UTF-8 with `\\n` line ends; what cannot be decoded becomes U+FFFD. Raises Unreadable."""
        return self.decoded(_as_text, path)

    def document(self, path: str) -> Any:
        """The JSON value in a file, its numbers as Scalars. Raises Unreadable."""
        return self.decoded(as_document, path)

    def table(self, path: str) -> Table:
        """The CSV or TSV in a file, blank lines left out. Raises Unreadable."""
        return self.decoded(_as_table, path)

    def decoded(self, decode: Callable[[str, bytes], T], path: str) -> T:
        """`decode(path, bytes)`, kept for the next rule while all kept files together are below 64 MiB."""
        key = (decode.__name__, path)
        if key not in self._kept:
            data = self._bytes(path)
            if self._kept_bytes + len(data) > MAX_READ_BYTES:
                self._kept.clear()
                self._kept_bytes = 0
            self._kept[key] = decode(path, data)
            self._kept_bytes += len(data)
        kept: T = self._kept[key]
        return kept

    def _bytes(self, path: str) -> bytes:
        if path == LOG_NAME:
            log = self.tree.read_log(MAX_READ_BYTES)
            if log is None:
                raise Unreadable("file_absent", f"{LOG_NAME} is absent or larger than 64 MiB.")
            return log
        fact = self.tree.files().get(path)
        if fact is None:
            raise Unreadable("file_absent", f"There is no file {path} after the run.")
        data = self.tree.read(path, MAX_READ_BYTES) if fact.size_bytes <= MAX_READ_BYTES else None
        if data is None:
            raise Unreadable("file_too_large", f"{path} is larger than 64 MiB and was not read.")
        return data


def _as_text(path: str, data: bytes) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").replace("\r\n", "\n").encode()


def as_document(path: str, data: bytes) -> Any:
    """The JSON value in a file, its numbers as Scalars. Raises Unreadable."""
    try:
        text = data.decode("utf-8-sig")
        return json.loads(
            text, object_pairs_hook=object_once, parse_float=Scalar, parse_int=Scalar, parse_constant=Scalar
        )
    except UnicodeDecodeError:
        raise Unreadable("value_unreadable", f"{path} is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise Unreadable("value_unreadable", f"{path} is not JSON: {error}.") from None
    except RepeatedKey as error:
        raise Unreadable("value_unreadable", f"{path} has the key {str(error)[:80]!r} twice in one object.") from None
    except RecursionError:
        raise Unreadable("value_unreadable", f"{path} is nested too deeply to be read.") from None


def _as_table(path: str, data: bytes) -> Table:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("value_unreadable", f"{path} is not UTF-8.") from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(path, text))
    try:
        rows = [Row(reader.line_num, tuple(cell.strip() for cell in cells)) for cells in reader if cells]
    except csv.Error as error:
        raise Unreadable("value_unreadable", f"{path} is not a table: {error}.") from None
    if not rows:
        raise Unreadable("value_unreadable", f"{path} is empty: a table needs a header line.")
    return Table(rows[0].cells, tuple(rows[1:]))


def _delimiter(path: str, text: str) -> str:
    header = text.split("\n", 1)[0]
    is_tabbed = path.lower().endswith((".tsv", ".tab")) or ("\t" in header and "," not in header)
    return "\t" if is_tabbed else ","
