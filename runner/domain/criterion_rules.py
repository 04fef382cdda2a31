"""Reading `measurement`, `extract` and `check` of a leaf (rubric-and-judge.md 1).

Each reader returns the value, or None after it has appended one sentence per problem, naming the key it is about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from runner.domain import check_rules, numbers, tree_paths
from runner.domain.criterion import Check, Extract, InJson, InMeasurements, InTable, InText, Measurement, Tolerance
from runner.domain.slugs import SLUG_RULE, is_slug

Problems = list[str]
_MEASUREMENT_KEYS = {"measurementId", "metric", "unit", "dimensions", "reportedValue", "tolerance", "extract"}
_LOCATORS = ("json_pointer", "column", "regex")
_POINTER = re.compile(r"(?:/(?:[^~/]|~[01])*)*\Z")


def read_rule(
    leaf: Mapping[str, Any], measurement_problems: Problems, check_problems: Problems
) -> tuple[Measurement | None, Check | None]:
    """The rule of a leaf: (measurement, None), (None, check) or (None, None)."""
    measurement = read_measurement(leaf, measurement_problems)
    has_measurement = leaf.get("measurement") is not None
    return measurement, check_rules.read_check(leaf.get("check"), has_measurement, check_problems)


def read_measurement(leaf: Mapping[str, Any], problems: Problems) -> Measurement | None:
    """The measurement of a leaf together with its `extract`, which may stand beside or inside it."""
    given, beside = leaf.get("measurement"), leaf.get("extract")
    if given is None:
        if beside is not None:
            problems.append("extract needs a measurement on the same leaf")
        return None
    if not isinstance(given, dict):
        problems.append("measurement must be an object")
        return None
    inside = given.get("extract")
    if inside is not None and beside is not None:
        problems.append("extract may stand on the leaf or inside measurement, not in both places")
    tolerance = _read_tolerance(given.get("tolerance"), problems)
    extract = _read_extract(beside if beside is not None else inside, problems)
    _refuse_faulty_fields(given, problems)
    if problems or tolerance is None or extract is None:
        return None
    return Measurement(
        id=given["measurementId"],
        metric=given["metric"],
        unit=given.get("unit"),
        dimensions=given.get("dimensions", {}),
        reported=numbers.of_json(given["reportedValue"]),
        tolerance=tolerance,
        extract=extract,
    )


def unknown_keys(measurement: object) -> set[str]:
    return set(measurement) - _MEASUREMENT_KEYS if isinstance(measurement, dict) else set()


def _refuse_faulty_fields(given: Mapping[str, Any], problems: Problems) -> None:
    if not is_slug(given.get("measurementId")):
        problems.append(f"measurementId must be {SLUG_RULE}")
    metric, unit = given.get("metric"), given.get("unit")
    if not isinstance(metric, str) or not 1 <= len(metric.strip()) <= 200:
        problems.append("metric must be a text of 1 to 200 characters")
    if unit is not None and not isinstance(unit, str):
        problems.append("unit must be a text or null")
    if not _is_object_of_texts(given.get("dimensions", {})):
        problems.append("dimensions must be an object whose values are texts")
    if not numbers.is_finite(given.get("reportedValue")):
        problems.append("reportedValue must be a finite number")


def _read_tolerance(given: object, problems: Problems) -> Tolerance | None:
    is_relative = isinstance(given, dict) and set(given) == {"relative"}
    amount: Any = given["relative"] if is_relative and isinstance(given, dict) else given
    if not numbers.is_finite(amount) or amount < 0:
        problems.append('tolerance must be a finite number of at least 0, or {"relative": number}')
        return None
    return Tolerance(numbers.of_json(amount), is_relative)


def _read_extract(given: object, problems: Problems) -> Extract | None:
    if given is None:
        return InMeasurements()
    if not isinstance(given, dict):
        problems.append("extract must be an object")
        return None
    before = len(problems)
    file = tree_paths.normal(given["file"]) if isinstance(given.get("file"), str) else None
    if file is None:
        problems.append("extract.file must be a relative path inside the submission, without '..'")
    locators = [key for key in _LOCATORS if key in given]
    if len(locators) != 1:
        problems.append("extract must hold exactly one of json_pointer, column, regex")
        return None
    allowed = {"file", locators[0]} | ({"row", "where"} if locators[0] == "column" else set())
    if strange := sorted(set(given) - allowed):
        problems.append(f"extract does not know the key {strange[0][:80]!r} beside {locators[0]}")
    extract = _LOCATOR_READERS[locators[0]](file or "", given, problems)
    return extract if len(problems) == before else None


def _read_pointer(file: str, given: Mapping[str, Any], problems: Problems) -> Extract | None:
    pointer = given["json_pointer"]
    if not isinstance(pointer, str) or not _POINTER.match(pointer):
        problems.append("extract.json_pointer must be a JSON pointer such as /results/0/accuracy")
        return None
    tokens = tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])
    return InJson(file, pointer, tokens)


def _read_cell(file: str, given: Mapping[str, Any], problems: Problems) -> Extract | None:
    column, row, where = given["column"], given.get("row"), given.get("where")
    if not isinstance(column, str) or not column.strip():
        problems.append("extract.column must name a column")
    if (row is None) == (where is None):
        problems.append("extract with column needs either row or where")
    if row is not None and (isinstance(row, bool) or not isinstance(row, int)):
        problems.append("extract.row must be an integer")
    if where is not None and (not _is_object_of_texts(where) or not where):
        problems.append("extract.where must be an object of column names with the text each must have")
    return InTable(file, column, row, tuple(where.items()) if isinstance(where, dict) else ())


def _read_regex(file: str, given: Mapping[str, Any], problems: Problems) -> Extract | None:
    pattern = check_rules.read_pattern("extract.regex", given["regex"], problems)
    if pattern is None:
        return None
    if pattern.value_group is None:
        problems.append("extract.regex needs a group: one named value, or a first one")
    return InText(file, pattern)


_LOCATOR_READERS = {"json_pointer": _read_pointer, "column": _read_cell, "regex": _read_regex}


def _is_object_of_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
