"""What a report says, in every language and format."""

from __future__ import annotations

import copy
import html
import re
from decimal import Decimal
from typing import Any

import pytest

from runner.stages import report
from runner.stages.reporting import words
from runner.stages.reporting.quantities import Percent, share

Stored = dict[str, Any]
LANGUAGES = ("en", "ja", "zh")
SECTIONS = {
    "en": ["Summary", "Paper", "Claims", "Rubric", "Reproduction", "Criteria", "Judge", "Cost", "Findings and advice"],
    "ja": ["要約", "論文", "主張", "ルーブリック", "再現の実行", "評価項目", "判定方法", "費用", "気づいた点と対処"],
    "zh": ["摘要", "论文", "论断", "评分标准", "复现过程", "逐条判定", "判定方式", "费用", "发现与建议"],
}


def build(stored: Stored) -> report.ReportModel:
    return report.build(
        paper=stored["paper"],
        run=stored["run"],
        results=stored["results"],
        rubric=stored["rubric"],
        log_tail=stored["log_tail"],
        version="0.1.0",
    )


def shown(page: str) -> str:
    """The text of a page without style sheet and tags."""
    body = re.sub(r"<style>.*?</style>", " ", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]+>", " ", body)).replace("\N{NO-BREAK SPACE}", " ")


def percents(text: str) -> set[str]:
    return set(re.findall(r"\d[\d.,]*(?= ?%)", text))


def test_the_verdict_line_gives_score_and_coverage(finished: Stored) -> None:
    text = report.render_markdown(build(finished), "en")
    assert "**Score 93.3 %, coverage 100.0 %**" in text


def test_the_verdict_line_states_bounds_and_why_the_run_is_degraded(troubled: Stored) -> None:
    model = build(troubled)
    line = "Judged part scores 92.2 %, coverage 85.7 %, the whole lies between 79.0 % and 93.3 %"
    assert f"{line}, degraded: reproduce.sh exited with 1" in report.render_markdown(model, "en")
    assert "参考値（reproduce.sh が終了コード 1 で終了）" in report.render_markdown(model, "ja")
    assert "仅供参考：reproduce.sh 以退出码 1 结束" in report.render_markdown(model, "zh")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["finished", "troubled", "failed"])
def test_all_sections_stand_in_order_in_every_language(
    kind: str, language: str, request: pytest.FixtureRequest
) -> None:
    model = build(request.getfixturevalue(kind))
    text, page = report.render_markdown(model, language), report.render_html(model, language)
    assert re.findall(r"^## \d+ (.*)$", text, re.MULTILINE)[:9] == SECTIONS[language]
    assert len(re.findall(r"^## 10 ", text, re.MULTILINE)) == 1
    headings = re.findall(r'<h2 id="\w+"><span class="number">\d+</span> (.*?)</h2>', page)
    assert headings[:9] == SECTIONS[language]
    assert len(headings) == 10


@pytest.mark.parametrize("kind", ["finished", "troubled", "failed"])
def test_all_files_give_the_same_numbers(kind: str, request: pytest.FixtureRequest) -> None:
    model = build(request.getfixturevalue(kind))
    texts = [report.render_markdown(model, language).replace("\\", "") for language in LANGUAGES]
    texts += [shown(report.render_html(model, language)) for language in LANGUAGES]
    without_scale = [re.sub(r"0[^%\d]{1,4}100 ?%", "", text) for text in texts]
    assert len({frozenset(percents(text)) for text in without_scale}) == 1
    for measurement in (each for claim in model.claims for each in claim.measurements):
        if measurement.observed is not None:
            assert all(f"{measurement.observed:,}" in text for text in texts)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ["finished", "troubled", "failed"])
def test_no_key_and_no_placeholder_is_left(kind: str, language: str, request: pytest.FixtureRequest) -> None:
    model = build(request.getfixturevalue(kind))
    for text in (report.render_markdown(model, language), shown(report.render_html(model, language))):
        assert not re.search(r"\{[a-z_0-9]+\}", text)
        keys = "|".join(re.escape(key) for key in words.catalogue("en") if "." in key)
        assert not re.search(rf"(?<![\w./])({keys})(?![\w.])", text)
        assert "None" not in text.replace("None needed", "")


def test_rendering_again_gives_the_same_bytes(troubled: Stored) -> None:
    first, second = build(troubled), build(copy.deepcopy(troubled))
    for language in LANGUAGES:
        assert report.render_html(first, language) == report.render_html(second, language)
        assert report.render_markdown(first, language) == report.render_markdown(second, language)


def test_nothing_of_a_run_needs_to_be_there() -> None:
    model = report.build({}, {"job_id": "run_x"}, None, {}, [], "0.1.0")
    empty = report.build({}, {"job_id": "run_x", "status": "completed"}, {}, {}, [], "0.1.0")
    for language in LANGUAGES:
        assert report.render_html(model, language)
        assert report.render_markdown(empty, language)
    assert report.render_markdown(model, "en").count("Not recorded.") > 15


def test_values_of_a_wrong_kind_are_not_recorded(finished: Stored) -> None:
    finished["results"] |= {
        "coverage": "1",
        "leaves": [None, {"share": True}],
        "claims": {},
        "reproduce": [],
        "cost": 3,
    }
    finished["run"] |= {"created_at": "yesterday", "configs": None}
    assert "Not recorded." in report.render_markdown(build(finished), "en")


def test_a_contradicted_claim_shows_its_three_parts_and_the_measurement(finished: Stored) -> None:
    text = report.render_markdown(build(finished), "en")
    claim = text[text.index("### Hits stay cheap") : text.index("## 4 Rubric")]
    assert "**Contradicts**" in claim
    assert re.findall(r"^#### (.*)$", claim, re.MULTILINE) == ["Plan", "Execution", "Assessment"]
    assert "3 criteria test this claim." in claim
    assert "reproduce.sh ran in the sandbox bubblewrap for 4.3 s and exited with code 0." in claim
    row = "| 12.4 | 123.667 | +111.267 | ±10 % (1.24) | writes per 1,000 requests | Mismatched |"
    assert row in claim


def test_a_persons_review_stands_beside_the_runs_own_assessment(troubled: Stored) -> None:
    page = shown(report.render_html(build(troubled), "en"))
    own, review = page.index("contradicts the claim"), page.index("山田 花子, May 14, 2026, 08:00:00 UTC")
    assert own < review


def test_a_part_is_never_called_the_whole(troubled: Stored) -> None:
    model = build(troubled)
    said = {
        "en": "it is 79.0 % if none of them is met, and 93.3 % if all of them are.",
        "ja": "すべて未達成なら 79.0%、すべて達成なら 93.3% です。",
        "zh": "若全部未达成，总分为 79.0%；若全部达成，则为 93.3%。",
    }
    for language, sentence in said.items():
        for text in (report.render_markdown(model, language), shown(report.render_html(model, language))):
            assert sentence in text
    assert not re.search(r"(?<!\w)Score \d", report.render_markdown(model, "en").partition("## 3")[0])


def test_the_counted_claims_add_up_to_all_of_them(troubled: Stored) -> None:
    model = build(troubled)
    assert sum(number for _, number in model.conclusions()) == len(model.claims)
    assert "- 1 claim not assessed" in report.render_markdown(model, "en")
    assert "- 評価なし 1 件" in report.render_markdown(model, "ja")
    assert "- 未评估 1 条" in report.render_markdown(model, "zh")


def test_a_rationale_leaves_out_what_the_report_says_in_its_own_language(finished: Stored) -> None:
    claims = build(finished).claims
    assert [each.own[0].rationale for each in claims[:4]] == [None] * 4
    reason = "fading-writes-sieve: 123.667 is not within 1.24 (relative 0.1) of 12.4: it differs by 111.267."
    assert claims[4].own[0].rationale == reason


@pytest.mark.parametrize("language", ["ja", "zh"])
def test_no_space_follows_a_full_stop_and_no_colon_is_narrow(troubled: Stored, language: str) -> None:
    model = build(troubled)
    text = report.render_markdown(model, language).replace(" |", "|")
    assert not re.search(r"[。：] \S", text)
    assert not re.search(r"[\u3040-\u9fff] ?[:(]", text)


def test_configurations_leave_out_what_was_not_set(finished: Stored) -> None:
    finished["run"]["configs"]["reproduce_config"]["slurm_config"] = {"partition": None, "nodes": None, "account": "x"}
    text = report.render_markdown(build(finished), "en")
    assert "null" not in text.partition("Fields that are not shown were not set.")[2].partition("as null.")[2]
    assert '"account": "x"' in text


def test_criteria_not_met_come_first_in_their_group_and_met_ones_last(troubled: Stored) -> None:
    troubled["results"]["leaves"][10]["status"] = "not_met"
    for group in build(troubled).groups:
        order = [("not_met", "not_judged", "met").index(each.status) for each in group.criteria]
        assert order == sorted(order)


def test_evidence_names_path_and_line(finished: Stored) -> None:
    text = report.render_markdown(build(finished), "en")
    assert "Evidence: `reproduce.log:23`" in text


def test_a_failed_run_says_what_went_wrong_and_what_was_kept(failed: Stored) -> None:
    text = report.render_markdown(build(failed), "en")
    assert "No score, the run failed: The worker of this stage stopped answering" in text.replace("\\", "")
    assert "are kept with the run" in text
    assert "Retry; if it happens again" in text.replace("\\", "")


def test_an_unknown_price_is_never_a_number(troubled: Stored, finished: Stored) -> None:
    troubled_text = report.render_markdown(build(troubled), "en")
    assert "| Language models | unknown |" in troubled_text
    assert "| Tokens sent | 184,203 |" in troubled_text
    assert "No language model was used" in report.render_markdown(build(finished), "en")
    assert not re.search(r"\b0\.00\b", troubled_text + report.render_markdown(build(finished), "en"))


def test_findings_follow_from_what_is_stored(finished: Stored, troubled: Stored, failed: Stored) -> None:
    codes = {name: [each.code for each in build(s).findings] for name, s in (("ok", finished), ("bad", troubled))}
    assert codes["ok"] == ["mismatch"]
    assert codes["bad"] == [
        "exit_code", "network_denied", "missing_artifacts", "omitted_files", "mismatch", "rubric_unreliable"
    ]  # fmt: skip
    assert [each.code for each in build(failed).findings] == ["run_failed"]
    finished["results"]["measurements"][-1]["verification"] = "verified"
    assert "No findings." in report.render_markdown(build(finished), "en")


def test_a_script_ended_by_signal_or_time_says_so(finished: Stored) -> None:
    finished["results"]["degraded"] = True
    finished["results"]["reproduce"] |= {"exit_code": None, "signal": "SIGKILL"}
    assert "degraded: reproduce.sh was ended by SIGKILL" in report.render_markdown(build(finished), "en")
    finished["results"]["reproduce"] |= {"timed_out": True}
    assert "degraded: reproduce.sh reached its time limit" in report.render_markdown(build(finished), "en")


def test_code_only_is_said_beside_the_score(finished: Stored) -> None:
    finished["results"]["code_only"] = True
    assert "Score 93.3 %, coverage 100.0 %, code only" in report.render_markdown(build(finished), "en")
    assert "コードのみの評価" in report.render_markdown(build(finished), "ja")


def test_hundred_percent_is_said_of_exactly_all_alone(finished: Stored) -> None:
    finished["results"] |= {"coverage": 0.99999, "ors_score": None, "raw_score": 0.00001}
    model = build(finished)
    assert model.verdict.coverage == Percent(Decimal("99.9"))
    assert model.verdict.score == Percent(Decimal("0.1"))


def test_a_small_share_does_not_vanish() -> None:
    assert share(Decimal("0.000123")) == Percent(Decimal("0.012"))
    assert share(Decimal(0)) == Percent(Decimal("0.0"))
    assert share(Decimal("0.123456")) == Percent(Decimal("12.3"))


def test_links_to_papers_are_offered_only_for_http(finished: Stored) -> None:
    finished["paper"] |= {"source_type": "doi", "source": "10.1000/xyz", "artifact_url": "javascript:alert(1)"}
    page = report.render_html(build(finished), "en")
    assert '<a href="https://doi.org/10.1000/xyz" rel="noopener noreferrer">' in page
    assert not re.search(r"href\s*=\s*[\"']?\s*javascript:", page, re.IGNORECASE)


def test_digests_can_be_checked_and_the_server_can_be_asked(finished: Stored) -> None:
    text = report.render_markdown(build(finished), "en")
    assert f"| Rubric | `{finished['rubric']['sha256']}` |" in text
    assert f'curl -s "$REPRISE/api/paperbench/run/{finished["run"]["job_id"]}/results"' in text
    assert '"time_limit_sec": 600' in text


def test_above_two_thousand_criteria_the_printed_form_says_where_the_rest_is(finished: Stored) -> None:
    leaf = finished["results"]["leaves"][-1]
    finished["results"]["leaves"] = [
        {
            **leaf,
            "id": f"leaf-{i}",
            "pointer": f"/sub_tasks/{i % 7}/sub_tasks/{i // 7}",
            "share": 1 / 3000,
            "status": "not_met",
        }
        for i in range(3000)
    ]
    model = build(finished)
    printed = report.render_html(model, "en", printed=True)
    assert "The full list of 3,000 criteria is in the HTML report." in printed
    assert printed.count('<div class="criterion ') == 200
    assert report.render_html(model, "en").count('<div class="criterion ') == 3000
    assert report.render_markdown(model, "en").count("- **Not met**") == 3000
