"""What a submission archive may hold."""

from __future__ import annotations

import pytest

from runner.domain import archive_layout, archive_rules
from runner.domain.archive_layout import Content, Layout
from runner.domain.archive_rules import Admission, Member
from runner.domain.errors import Invalid, TooLarge

PLAIN = Content("0" * 64)


def file(name: str, content: Content = PLAIN, size_bytes: int = 1) -> tuple[Member, Content]:
    return Member(name, "file", size_bytes), content


def folder(name: str) -> tuple[Member, Content]:
    return Member(name, "folder"), PLAIN


def link(name: str, target: str) -> tuple[Member, Content]:
    return Member(name, "link", target=target), PLAIN


def copy(name: str, target: str) -> tuple[Member, Content]:
    return Member(name, "copy", target=target), PLAIN


def admitted(*members: tuple[Member, Content], packed_bytes: int = 1000) -> Layout:
    admission = Admission(packed_bytes)
    for member, content in members:
        path = admission.admit(member)
        if path is not None:
            admission.add(path, member.size_bytes, member.executable, content)
    return admission.finish()


def faults(*members: tuple[Member, Content]) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as refused:
        admitted(*members)
    assert refused.value.code == "submission_unsafe_member"
    return [(fault.field, fault.code) for fault in refused.value.details]


def warnings(*members: tuple[Member, Content]) -> list[str]:
    return [warning["code"] for warning in archive_layout.warnings(admitted(*members))]


@pytest.mark.parametrize(
    ("members", "root", "paths"),
    [
        ([file("a"), file("d/b")], "", ["a", "d/b"]),
        ([file("top/a"), file("top/d/b")], "top", ["a", "d/b"]),
        ([folder("top/"), folder("top/submission"), file("top/submission/a")], "top/submission", ["a"]),
        ([file("top/submission/a"), file("top/b")], "top", ["b", "submission/a"]),
        ([folder("."), file("./a")], "", ["a"]),
        ([file("top/a"), folder("other")], "", ["top/a"]),
        ([file("top/d/a"), folder("top/empty")], "top", ["d/a"]),
        ([file("top/a"), link("l", "top/a")], "", ["top/a"]),
        ([file("a")], "", ["a"]),
    ],
)
def test_one_top_folder_that_holds_everything_is_the_root(members, root, paths):
    layout = admitted(*members)
    assert (layout.root, [file.path for file in layout.files]) == (root, paths)


def test_files_are_sorted_by_the_bytes_of_their_paths():
    assert [f.path for f in admitted(file("é"), file("z"), file("a/b"), file("a.b")).files] == ["a.b", "a/b", "z", "é"]


def test_all_unsafe_members_are_named():
    assert faults(file("../a"), file("ok"), file("/b"), (Member("pipe", "special"), PLAIN)) == [
        ("../a", "parent_path"),
        ("/b", "absolute_path"),
        ("pipe", "special_file"),
    ]


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ([file("a"), file("a")], "duplicate_member"),
        ([file("a"), file("./a")], "duplicate_member"),
        ([file("a"), file("a/b")], "duplicate_member"),
        ([file("a/b"), file("a")], "duplicate_member"),
        ([file("a"), folder("a/")], "duplicate_member"),
        ([folder("a"), link("a", "b")], "duplicate_member"),
        ([link("a", "b"), file("a")], "duplicate_member"),
        ([folder("b"), link("a", "b"), file("a/x")], "link_escape"),
        ([file("x"), link("a", "")], "bad_name"),
        ([file("x"), link("a", "b\nc")], "bad_name"),
        ([file("x"), copy("a", "../x")], "link_escape"),
        ([file("x"), copy("a", "later"), file("later")], "link_escape"),
        ([file("x"), copy("a", "a")], "link_escape"),
    ],
)
def test_members_that_contradict_each_other(members, code):
    assert [c for _, c in faults(file("keep"), *members)] == [code]


def test_a_folder_may_have_several_members():
    assert admitted(folder("d"), file("d/a"), folder("d/"), file("b")).folders == ("d",)


def test_a_link_that_leaves_the_root_is_named_as_it_was_sent():
    assert faults(file("./top/a"), link("./top/l", "../a")) == [("./top/l", "link_escape")]


def test_a_hard_link_is_a_copy_with_the_content_of_its_original():
    layout = admitted(file("top/a", Content("1" * 64), 7), copy("top/b", "top/a"), copy("top/c", "top/b"))
    assert [(f.path, f.size_bytes, f.content.sha256[0], f.copy_of) for f in layout.files] == [
        ("a", 7, "1", None),
        ("b", 7, "1", "a"),
        ("c", 7, "1", "b"),
    ]


def test_a_hard_link_to_a_link_is_that_link():
    assert admitted(file("a"), link("l", "a"), copy("m", "l")).links == (("l", "a"), ("m", "a"))


def test_an_archive_without_a_file_is_empty():
    for members in ([], [folder("a")], [link("a", "b")]):
        with pytest.raises(Invalid) as refused:
            admitted(*members)
        assert refused.value.code == "submission_empty"


def test_a_script_that_is_an_lfs_pointer_is_refused():
    with pytest.raises(Invalid) as refused:
        admitted(file("top/reproduce.sh", Content("0" * 64, is_lfs_pointer=True)))
    assert refused.value.code == "lfs_pointer"


@pytest.mark.parametrize(
    ("sizes", "packed_bytes"),
    [([2**31 + 1], 1000), ([2**30, 2**30, 1], 1000), ([300 * 2**20], 2**20 + 1)],
)
def test_too_much_to_unpack(sizes, packed_bytes):
    with pytest.raises(TooLarge) as refused:
        admitted(*(file(f"f{n}", size_bytes=size) for n, size in enumerate(sizes)), packed_bytes=packed_bytes)
    assert refused.value.code == "submission_too_large"


def test_a_small_archive_may_unpack_to_more_than_two_hundred_times_its_size():
    assert admitted(file("a", size_bytes=2**31), packed_bytes=2**20).files


def test_copies_count_with_their_size():
    with pytest.raises(TooLarge):
        admitted(file("a", size_bytes=2**30), copy("b", "a"), copy("c", "a"))


def test_too_many_members():
    members = [folder("d")] * archive_rules.MAX_MEMBERS
    assert faults(*members[1:], file("/a")) == [("/a", "absolute_path")]
    with pytest.raises(TooLarge):
        admitted(*members, file("a"))


def test_folders_without_a_member_count_too():
    with pytest.raises(TooLarge):
        admitted(*(file("/".join([str(n), *"abcdefghij", "f"])) for n in range(2500)))


def test_what_a_person_is_told():
    pointer, windows = Content("0" * 64, is_lfs_pointer=True), Content("0" * 64, has_crlf=True)
    assert warnings(file("reproduce.sh"), file("a"), file("b", windows)) == []
    assert warnings(file("a"), file("b")) == ["no_reproduce_sh"]
    assert warnings(file("b"), folder("reproduce.sh")) == ["no_reproduce_sh"]
    assert warnings(file("b"), link("reproduce.sh", "b")) == ["no_reproduce_sh"]
    assert warnings(file("reproduce.sh", windows), file("w.bin", pointer)) == ["crlf_script", "lfs_pointer"]


@pytest.mark.parametrize("pair", [("Readme", "README"), ("Data/x", "data/y"), ("straße", "STRASSE"), ("e\u0301", "é")])
def test_names_that_only_case_or_form_tells_apart(pair):
    assert warnings(file("reproduce.sh"), *map(file, pair)) == ["case_collision"]


def test_a_collision_of_folders_is_told_once():
    members = [file(f"{top}/{n}") for top in ("data", "DATA") for n in range(5)]
    assert warnings(file("reproduce.sh"), *members) == ["case_collision"]
