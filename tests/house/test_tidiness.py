"""What no committed file may hold, and what the catalogues and the documents must."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess

import pytest

REGISTRY = re.compile(r"https?://[^\s\"'<>]*(?:pypi|pythonhosted|npmjs|registry\.|/simple/|debian\.org/debian)")
PLURAL_FORMS = {"zero", "one", "two", "few", "many", "other"}  # https://cldr.unicode.org/index/cldr-spec/plural-rules


def committed(root: pathlib.Path) -> list[pathlib.Path]:
    """Files that git keeps or would keep."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.split(b"\0")
    return [path for name in names if name and (path := root / name.decode()).is_file()]


def texts(root: pathlib.Path) -> dict[str, str]:
    found = {}
    for path in committed(root):
        data = path.read_bytes()
        if b"\0" not in data:
            found[path.relative_to(root).as_posix()] = data.decode("utf-8")
    return found


def test_no_file_names_a_path_of_this_machine(root: pathlib.Path) -> None:
    here = f"{root.parent}/"
    assert [name for name, text in texts(root).items() if here in text] == []


def test_no_file_names_a_package_registry(root: pathlib.Path) -> None:
    assert [name for name, text in texts(root).items() if REGISTRY.search(text)] == []


def test_no_file_is_left_unfinished(root: pathlib.Path) -> None:
    marks, stub = re.compile(r"\b(?:TO" r"DO|FIX" r"ME)\b"), re.compile(r"raise NotImplemented" r"Error")
    code = {name: text for name, text in texts(root).items() if name.endswith((".py", ".js"))}
    assert [name for name, text in code.items() if marks.search(text)] == []
    assert [name for name, text in code.items() if stub.search(text) and not name.startswith("tests/")] == []


def catalogues(root: pathlib.Path) -> list[pathlib.Path]:
    """Folders that hold the same strings in several languages."""
    return sorted({path.parent for path in committed(root) if path.name in ("en.json", "ja.json", "zh.json")})


def test_every_catalogue_has_the_three_languages_with_equal_keys_and_placeholders(root: pathlib.Path) -> None:
    assert root / "dashboard" / "i18n" in catalogues(root)
    for folder in catalogues(root):
        english, *others = (json.loads((folder / f"{name}.json").read_text()) for name in ("en", "ja", "zh"))
        for other in others:
            assert shape(other) == shape(english), folder


def shape(catalogue: object) -> object:
    """Keys, and for each string its placeholders such as {n} and %(n)s. Of plural forms the one that all languages have."""
    if isinstance(catalogue, dict) and "other" in catalogue and catalogue.keys() <= PLURAL_FORMS:
        return shape(catalogue["other"])
    if isinstance(catalogue, dict):
        return {key: shape(value) for key, value in catalogue.items()}
    return sorted(re.findall(r"\{[^{}]*\}|%\([a-z_]+\)s", str(catalogue)))


@pytest.mark.parametrize("script", ["infra/setup.sh", ".ci/run"])
def test_shell_scripts_parse_and_can_be_run(root: pathlib.Path, script: str) -> None:
    assert (root / script).stat().st_mode & 0o111
    subprocess.run(["bash", "-n", root / script], check=True)


def test_the_page_holds_no_inline_script_style_or_foreign_address(root: pathlib.Path) -> None:
    page = (root / "dashboard" / "index.html").read_text()
    assert not re.search(
        r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:|//", page.replace("<!doctype html>", "")
    )
    for script in (root / "dashboard" / "js").rglob("*.js"):
        code = script.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|https?://", code), (
            script.name
        )
