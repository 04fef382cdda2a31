"""Finding the observed value of a measurement in what the run left behind (rubric-and-judge.md 1)."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runner.domain import numbers
from runner.domain.criterion import InJson, InMeasurements, InTable, InText, Measurement
from runner.domain.numbers import Number
from runner.domain.sources import Row, Scalar, Sources, Table, Unreadable, as_document

MEASUREMENTS = "measurements.json"


@dataclass(frozen=True, slots=True)
class Observation:
    """A number and where exactly it stands: two observations with one `path` and `place` are the same number."""

    number: Number
    path: str
    place: str
    line: int | None = None


class Ambiguous(Exception):
    """More than one answer, which a person has to sort out."""

    def __init__(self, sentence: str, path: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.path = path


def observe(sources: Sources, measurement: Measurement) -> Observation:
    """The observed value. Raises sources.Unreadable (`value_not_finite` for what is no number), Ambiguous."""
    match measurement.extract:
        case InJson() as where:
            return _in_json(sources, where)
        case InTable() as where:
            return _in_table(sources, where)
        case InText() as where:
            return _in_text(sources, where)
        case _:
            return _in_measurements(sources, measurement)


def file_of(measurement: Measurement) -> str:
    """The file that its value is looked for in."""
    return MEASUREMENTS if isinstance(measurement.extract, InMeasurements) else measurement.extract.file


def _in_measurements(sources: Sources, measurement: Measurement) -> Observation:
    own = sources.decoded(_as_entries, MEASUREMENTS).get(measurement.id)
    if not own:
        raise Unreadable("value_unreadable", f"{MEASUREMENTS} has no entry for {measurement.id}.")
    _refuse_different(measurement, [entry.get("value") for _, entry in own])
    index, entry = own[0]
    number = _number(entry.get("value"), f"The value of {measurement.id} in {MEASUREMENTS}")
    _refuse_other_unit(measurement, [entry for _, entry in own])
    return Observation(number, MEASUREMENTS, f"/measurements/{index}/value")


def _as_entries(path: str, data: bytes) -> dict[str, list[tuple[int, Mapping[str, Any]]]]:
    """The entries of each measurement id with their index; what is no entry is passed over."""
    document = as_document(path, data)
    entries = document.get("measurements") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise Unreadable("value_unreadable", f'{path} is not of the form {{"measurements": [...]}}.')
    by_id: dict[str, list[tuple[int, Mapping[str, Any]]]] = {}
    for index, entry in enumerate(entries):
        if isinstance(entry, dict) and isinstance(entry.get("measurementId"), str):
            by_id.setdefault(entry["measurementId"], []).append((index, entry))
    return by_id


def _refuse_different(measurement: Measurement, values: Sequence[Any]) -> None:
    known = [numbers.read(value.text) if isinstance(value, Scalar) else None for value in values]
    distinct = {
        number.value if number else f"not a number: {value!r}" for number, value in zip(known, values, strict=True)
    }
    if len(distinct) > 1:
        told = " and ".join(_say(value) for value in values[:3])
        raise Ambiguous(f"{MEASUREMENTS} gives {measurement.id} more than one value: {told}.", MEASUREMENTS)


def _refuse_other_unit(measurement: Measurement, entries: Sequence[Mapping[str, Any]]) -> None:
    for entry in entries:
        unit = entry.get("unit")
        if unit is not None and unit != measurement.unit:
            expected = f"in {measurement.unit}" if measurement.unit else "without a unit"
            sentence = f"{MEASUREMENTS} gives {measurement.id} in {_say(unit)}, the rubric {expected}."
            raise Ambiguous(sentence, MEASUREMENTS)


def _in_json(sources: Sources, where: InJson) -> Observation:
    value = sources.document(where.file)
    for token in where.tokens:
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and _is_index(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            raise Unreadable("value_unreadable", f"{where.file} has nothing at {where.pointer}.")
    number = _number(value, f"The value at {where.pointer or 'the root'} of {where.file}")
    return Observation(number, where.file, where.pointer)


def _is_index(token: str) -> bool:
    return token.isascii() and token.isdigit() and len(token) < 19 and (token == "0" or token[0] != "0")


def _in_table(sources: Sources, where: InTable) -> Observation:
    table = sources.table(where.file)
    row = _row(table, where)
    column = _column(table, where.column, where.file)
    if column >= len(row.cells):
        raise Unreadable("value_unreadable", f"Line {row.line} of {where.file} has no cell in column {where.column}.")
    text = row.cells[column]
    number = _number(Scalar(text), f"Column {where.column} in line {row.line} of {where.file}")
    return Observation(number, where.file, f"line {row.line} column {column}", row.line)


def _row(table: Table, where: InTable) -> Row:
    if where.row is not None:
        if not -len(table.rows) <= where.row < len(table.rows):
            sentence = f"{where.file} has {len(table.rows)} data rows, so there is no row {where.row}."
            raise Unreadable("value_unreadable", sentence)
        return table.rows[where.row]
    wanted = [(_column(table, name, where.file), text.strip()) for name, text in where.where]
    hits = [row for row in table.rows if all(row.cells[column : column + 1] == (text,) for column, text in wanted)]
    if len(hits) != 1:
        condition = " and ".join(f"{name} = {text}" for name, text in where.where)
        raise Unreadable(
            "value_unreadable", f"{len(hits)} rows of {where.file} have {condition}; it must be exactly one."
        )
    return hits[0]


def _column(table: Table, name: str, file: str) -> int:
    found = [n for n, column in enumerate(table.columns) if column == name.strip()]
    if len(found) != 1:
        how_many = "no column" if not found else f"{len(found)} columns"
        raise Unreadable("value_unreadable", f"{file} has {how_many} named {name}.")
    return found[0]


def _in_text(sources: Sources, where: InText) -> Observation:
    data = sources.text(where.file)
    last = next(iter(deque(where.pattern.find_all(data), maxlen=1)), None)
    if last is None or last.group is None:
        raise Unreadable("value_unreadable", f"Nothing in {where.file} matches the pattern of this measurement.")
    line = data.count(b"\n", 0, last.group_start) + 1
    number = _number(Scalar(last.group), f"What the pattern finds in line {line} of {where.file}")
    return Observation(number, where.file, f"byte {last.group_start}", line)


def _number(value: Any, what: str) -> Number:
    number = numbers.read(value.text) if isinstance(value, Scalar) else None
    if number is None:
        raise Unreadable("value_not_finite", f"{what} is {_say(value)}, which is no finite number.")
    return number


def _say(value: Any) -> str:
    """A value of any shape, short and printable, for a sentence."""
    match value:
        case Scalar(text):
            told = text or "empty"
        case str():
            told = f'the text "{value}"'
        case dict() | list():
            told = "an object" if isinstance(value, dict) else "a list"
        case _:
            told = {True: "true", False: "false"}.get(value, "null")
    shown = "".join(sign if sign.isprintable() else "\ufffd" for sign in told[:80])
    return shown + ("…" if len(told) > 80 else "")
