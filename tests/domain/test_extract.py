"""Finding observed values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runner.domain import extract
from runner.domain.executed_tree import MemoryTree
from runner.domain.extract import Ambiguous, Observation
from runner.domain.sources import Sources, Unreadable


def observe(build: Any, files: dict[str, bytes], log: bytes = b"", **where: Any) -> Observation:
    extracted = {"extract": where} if where else {}
    measurement, _ = build.rule(measurement=build.measurement("m", 1, 0), **extracted)
    return extract.observe(Sources(MemoryTree(files, log=log)), measurement)


def in_measurements(build: Any, *entries: Any) -> Observation:
    return observe(build, {"measurements.json": json.dumps({"measurements": list(entries)}).encode()})


def entry(value: Any, **more: Any) -> dict[str, Any]:
    return {"measurementId": "m", "value": value, **more}


def test_the_default_is_the_entry_of_the_id_in_measurements_json(build: Any) -> None:
    found = in_measurements(build, "odd", {"measurementId": "other", "value": 1}, entry(92.3, unit="points"))
    assert (found.number.text, found.path, found.place) == ("92.3", "measurements.json", "/measurements/2/value")


def test_the_same_value_twice_is_one_value(build: Any) -> None:
    assert in_measurements(build, entry(5), entry(5.0)).number.text == "5"


@pytest.mark.parametrize("value", ["NaN", float("nan"), True])
def test_the_same_thing_twice_that_is_no_number_is_unreadable(build: Any, value: Any) -> None:
    with pytest.raises(Unreadable):
        in_measurements(build, entry(value), entry(value))


@pytest.mark.parametrize("values", [(5, 6), (5, "5"), (5, None), (True, 1)])
def test_two_values_for_one_id_are_ambiguous(build: Any, values: tuple[Any, Any]) -> None:
    with pytest.raises(Ambiguous) as why:
        in_measurements(build, entry(values[0]), entry(values[1]))
    assert "more than one value" in why.value.sentence


@pytest.mark.parametrize("unit", ["seconds", "", 5, ["points"]])
def test_another_unit_is_ambiguous_and_none_is_fine(build: Any, unit: Any) -> None:
    with pytest.raises(Ambiguous):
        in_measurements(build, entry(5), entry(5, unit=unit))
    assert in_measurements(build, entry(5, unit=None)).number.text == "5"


@pytest.mark.parametrize("value", ["5", True, None, [5], {"a": 5}, float("inf"), float("nan")])
def test_what_is_no_finite_number_is_unreadable_and_said(build: Any, value: Any) -> None:
    with pytest.raises(Unreadable) as why:
        in_measurements(build, entry(value))
    assert why.value.code == "value_not_finite"
    assert "which is no finite number" in why.value.sentence


def test_what_a_file_says_is_shown_short_and_printable(build: Any) -> None:
    body = b'{"measurements": [{"measurementId": "m", "value": "a\\u0000\\ud800\\n' + b"x" * 500 + b'"}]}'
    with pytest.raises(Unreadable) as why:
        observe(build, {"measurements.json": body})
    assert 'is the text "a\ufffd\ufffd\ufffdxxx' in why.value.sentence
    assert len(why.value.sentence) < 200


def test_1e400_and_a_missing_value_are_no_numbers(build: Any) -> None:
    for body in (
        b'{"measurements": [{"measurementId": "m", "value": 1e400}]}',
        b'{"measurements": [{"measurementId": "m"}]}',
    ):
        with pytest.raises(Unreadable) as why:
            observe(build, {"measurements.json": body})
        assert why.value.code == "value_not_finite"


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"measurements": {}}', b"5", b"{", b'{"measurements": []}'])
def test_a_file_of_another_form_has_no_value(build: Any, body: bytes) -> None:
    with pytest.raises(Unreadable) as why:
        observe(build, {"measurements.json": body})
    assert why.value.code == "value_unreadable"


DOCUMENT = b'{"a": [0, {"b/c": 3, "~": {"": 4.50}}], "t": "5", "-": 1}'


@pytest.mark.parametrize("pointer,text", [("/a/0", "0"), ("/a/1/b~1c", "3"), ("/a/1/~0/", "4.50"), ("/-", "1")])
def test_a_json_pointer_leads_to_the_number_as_written(build: Any, pointer: str, text: str) -> None:
    found = observe(build, {"r.json": DOCUMENT}, file="r.json", json_pointer=pointer)
    assert (found.number.text, found.place) == (text, pointer)


@pytest.mark.parametrize(
    "pointer", ["", "/x", "/a/2", "/a/00", "/a/-", "/a/+1", "/a/-1", "/a/1/b~1c/0", "/t", "/a/" + "9" * 5000]
)
def test_a_pointer_to_nothing_or_to_no_number_is_unreadable(build: Any, pointer: str) -> None:
    with pytest.raises(Unreadable):
        observe(build, {"r.json": DOCUMENT}, file="r.json", json_pointer=pointer)


TABLE = b"model, f1 ,n\nsmall,0.1,1\nbig,-0.5,2\nbig,0.70,3\nshort\n"


@pytest.mark.parametrize(
    "where,text,line",
    [
        ({"row": 0}, "0.1", 2),
        ({"row": -2}, "0.70", 4),
        ({"where": {"model": "small"}}, "0.1", 2),
        ({"where": {"model": "big", "n": "2"}}, "-0.5", 3),
        ({"where": {"f1": "0.70"}}, "0.70", 4),
    ],
)
def test_a_cell_is_found_by_row_or_by_condition(build: Any, where: Any, text: str, line: int) -> None:
    found = observe(build, {"t.csv": TABLE}, file="t.csv", column="f1", **where)
    assert (found.number.text, found.line) == (text, line)


@pytest.mark.parametrize(
    "where,said",
    [
        ({"column": "f1", "row": 4}, "no row 4"),
        ({"column": "f1", "row": -5}, "no row -5"),
        ({"column": "f1", "row": 3}, "no cell"),
        ({"column": "f1", "where": {"model": "huge"}}, "0 rows"),
        ({"column": "f1", "where": {"model": "big"}}, "2 rows"),
        ({"column": "f1", "where": {"size": "big"}}, "no column named size"),
        ({"column": "F1", "row": 0}, "no column named F1"),
        ({"column": "model", "row": 0}, "no finite number"),
    ],
)
def test_a_cell_that_is_not_there_once_is_unreadable(build: Any, where: Any, said: str) -> None:
    with pytest.raises(Unreadable) as why:
        observe(build, {"t.csv": TABLE}, file="t.csv", **where)
    assert said in why.value.sentence


def test_two_columns_of_one_name_are_unreadable(build: Any) -> None:
    with pytest.raises(Unreadable, match="2 columns"):
        observe(build, {"t.csv": b"a,a\n1,2\n"}, file="t.csv", column="a", row=0)


def test_the_last_match_in_our_log_counts(build: Any) -> None:
    log = b"steps=9\r\nsteps=12\r\nnot steps=99\n"
    found = observe(build, {}, log, file="reproduce.log", regex=r"^steps=(?P<value>\d+)$")
    assert (found.number.text, found.path, found.line) == ("12", "reproduce.log", 2)


@pytest.mark.parametrize("log,code", [(b"nothing", "value_unreadable"), (b"acc=high", "value_not_finite")])
def test_no_match_or_no_number_is_unreadable(build: Any, log: bytes, code: str) -> None:
    with pytest.raises(Unreadable) as why:
        observe(build, {}, log, file="reproduce.log", regex=r"acc=(\w+)")
    assert why.value.code == code


def test_a_group_that_took_no_part_is_unreadable(build: Any) -> None:
    with pytest.raises(Unreadable):
        observe(build, {}, b"acc", file="reproduce.log", regex=r"acc(=\d+)?")
