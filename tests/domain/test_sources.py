"""Files that rules read."""

from __future__ import annotations

import pytest

from runner.domain import executed_tree
from runner.domain.executed_tree import FileFact, MemoryTree
from runner.domain.sources import Scalar, Sources, Unreadable


def test_numbers_of_a_document_stay_text() -> None:
    sources = Sources(MemoryTree({"r.json": b'\xef\xbb\xbf{"a": [1.50, NaN, 1e400, "1", true]}'}))
    assert sources.document("r.json") == {"a": [Scalar("1.50"), Scalar("NaN"), Scalar("1e400"), "1", True]}


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"a": 1, "a": 2}', b"[" * 100_000])
def test_a_broken_document_is_unreadable_and_says_why(data: bytes) -> None:
    with pytest.raises(Unreadable) as why:
        Sources(MemoryTree({"r.json": data})).document("r.json")
    assert why.value.code == "value_unreadable"
    assert "r.json" in why.value.sentence


@pytest.mark.parametrize(
    "name,data",
    [
        ("t.csv", b"\xef\xbb\xbfa, b\r\n1,2\r\n\r\n3,4\r\n"),
        ("t.csv", b"a,b\n1,2\n\n3,4"),
        ("t.tsv", b"a\tb\n1\t2\n\n3\t4\n"),
        ("t.txt", b"a\tb\n1\t2\n\n3\t4\n"),
        ("t.csv", b'"a","b"\n"1","2"\n\n"3","4"\n'),
    ],
)
def test_tables_are_read_with_any_mark_line_end_and_separator(name: str, data: bytes) -> None:
    table = Sources(MemoryTree({name: data})).table(name)
    assert table.columns == ("a", "b")
    assert [(row.line, row.cells) for row in table.rows] == [(2, ("1", "2")), (4, ("3", "4"))]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xff\xfe"])
def test_what_is_no_table_is_unreadable(data: bytes) -> None:
    with pytest.raises(Unreadable):
        Sources(MemoryTree({"t.csv": data})).table("t.csv")


def test_text_has_plain_line_ends_and_no_broken_characters() -> None:
    assert Sources(MemoryTree({"x": b"a\r\nb\xff\n"})).text("x") == "a\nb\ufffd\n".encode()


def test_reproduce_log_is_our_own_whatever_the_tree_holds() -> None:
    tree = MemoryTree({"reproduce.log": b"forged"}, log=b"honest")
    assert Sources(tree).text("reproduce.log") == b"honest"
    with pytest.raises(Unreadable) as why:
        Sources(MemoryTree(log=None)).text("reproduce.log")
    assert why.value.code == "file_absent"


def test_an_absent_file_and_one_over_the_limit_are_told_apart() -> None:
    class Huge(MemoryTree):
        def files(self) -> dict[str, FileFact]:
            return {"big.json": FileFact(executed_tree.MAX_READ_BYTES + 1, "0" * 64, True)}

        def read(self, path: str, limit_bytes: int) -> bytes | None:
            raise AssertionError("a file over the limit is not read")

    for path, code in (("big.json", "file_too_large"), ("other.json", "file_absent")):
        with pytest.raises(Unreadable) as why:
            Sources(Huge()).document(path)
        assert why.value.code == code


def test_a_file_is_read_once_for_many_rules() -> None:
    reads = []

    class Counting(MemoryTree):
        def read(self, path: str, limit_bytes: int) -> bytes | None:
            reads.append(path)
            return super().read(path, limit_bytes)

    sources = Sources(Counting({"r.json": b"[1]"}))
    assert sources.document("r.json") is sources.document("r.json")
    assert reads == ["r.json"]
