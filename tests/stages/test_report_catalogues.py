"""The three catalogues of the report say the same things, whole, and only fixed text."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import pytest

from runner.stages.reporting import findings_part, words
from runner.stages.reporting.claim_part import CONCLUSIONS
from runner.stages.reporting.criteria_part import STATUSES
from runner.stages.reporting.measurement_part import VERIFICATIONS

RUNNER = pathlib.Path(words.__file__).parents[2]
PLURAL_FORMS = {"en": {"one", "other"}, "ja": {"other"}, "zh": {"other"}}
NAMES_AND_UNITS = re.compile(
    r"(badge\.|license\.source\.|duration\.|rubric\.sha256$|reason\.told$|finding\.run_failed\.advice$|title\.reprise$|dash$|moment$|claim\.review$|category\.|reproduction\.slurm\.|summary\.range$)"
)


def _forms(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value.values())


def _placeholders(value: Any) -> set[str]:
    return {name for form in _forms(value) for name in re.findall(r"\{(\w+)\}", form)}


def test_all_languages_have_equal_keys_and_placeholders() -> None:
    english = words.catalogue("en")
    for language in ("ja", "zh"):
        other = words.catalogue(language)
        assert list(other) == list(english)
        for key, value in english.items():
            assert _placeholders(other[key]) - {"n"} == _placeholders(value) - {"n"}, (language, key)


@pytest.mark.parametrize("language", words.LOCALES)
def test_plurals_have_the_forms_of_their_language(language: str) -> None:
    english = words.catalogue("en")
    for key, value in words.catalogue(language).items():
        assert isinstance(value, str) == isinstance(english[key], str), key
        assert isinstance(value, str) or set(value) == PLURAL_FORMS[language], key


@pytest.mark.parametrize("language", words.LOCALES)
def test_sentences_hold_no_markup(language: str) -> None:
    for key, value in words.catalogue(language).items():
        for form in _forms(value):
            assert form.strip() == form, key
            assert not re.search(r"[<>&*`|\\]|\b_|_\b", form), key


def test_languages_share_a_value_only_for_names_and_units() -> None:
    english, japanese, chinese = (words.catalogue(language) for language in ("en", "ja", "zh"))
    for key, value in english.items():
        if not NAMES_AND_UNITS.match(key):
            assert value != japanese[key], key
            assert value != chinese[key], key


def test_every_key_that_is_asked_for_exists_and_every_key_is_asked_for() -> None:
    sources = [*RUNNER.glob("templates/report/*/*"), *RUNNER.glob("stages/reporting/*.py")]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    asked = set(re.findall(r"""\b(?:t|words|self|Phrase)\("([a-z0-9_.]+)"[,)]""", text))
    known = set(words.catalogue("en"))
    assert asked - known == set()
    begun = re.findall(r'"([a-z_.]+)\.(?:"|\{)', text) + re.findall(r'\bword\("([a-z_.]+)",', text)
    prefixes = tuple({f"{begin}." for begin in begun})
    unused = {key for key in known if f'"{key}"' not in text and not key.startswith(prefixes)}
    assert unused == set()


def test_every_enumerated_value_has_a_word() -> None:
    known = words.catalogue("en")
    for group, values in (("status", STATUSES), ("conclusion", CONCLUSIONS), ("verification", VERIFICATIONS)):
        assert all(f"{group}.{value}" in known for value in values)
    source = pathlib.Path(findings_part.__file__).read_text("utf-8")
    for code in re.findall(r'(?:add\(|, )"([a-z_]+)"(?:\)|,|\):)', source):
        if f"finding.{code}" in known:
            assert f"finding.{code}.advice" in known
