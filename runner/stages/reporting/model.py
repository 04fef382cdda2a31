"""The report as values: everything that all nine files say, cleaned and rounded once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from runner.stages.reporting import (
    checking_part,
    claim_part,
    criteria_part,
    findings_part,
    judge_part,
    measurement_part,
    paper_part,
    reproduction_part,
    rubric_part,
    stored,
    verdict_part,
)
from runner.stages.reporting.checking_part import Checking
from runner.stages.reporting.claim_part import Claim
from runner.stages.reporting.criteria_part import Criterion, Group
from runner.stages.reporting.findings_part import Finding
from runner.stages.reporting.judge_part import Cost, Judge
from runner.stages.reporting.paper_part import Paper
from runner.stages.reporting.reproduction_part import Reproduction
from runner.stages.reporting.rubric_part import Rubric
from runner.stages.reporting.stored import JsonObject
from runner.stages.reporting.verdict_part import Verdict

HEAVIEST = 3


@dataclass(frozen=True, slots=True)
class ReportModel:
    """A pure function of what is stored about one ended run. `groups` are the `criteria` again, in reading order."""

    run_id: str
    version: str
    created_at: datetime | None
    finished_at: datetime | None
    has_results: bool
    verdict: Verdict
    paper: Paper
    claims: tuple[Claim, ...]
    rubric: Rubric
    reproduction: Reproduction
    criteria: tuple[Criterion, ...]
    groups: tuple[Group, ...]
    judge: Judge
    cost: Cost | None
    findings: tuple[Finding, ...]
    checking: Checking
    badges: tuple[str, ...] | None

    def count(self, status: str) -> int:
        return sum(each.status == status for each in self.criteria)

    def conclusions(self) -> tuple[tuple[str, int], ...]:
        """How many claims came to each conclusion, in the order of the contract, last `not_assessed`; none is zero.

        The numbers add up to all claims.
        """
        counts = Counter(each.conclusion or "not_assessed" for each in self.claims)
        names = (*claim_part.CONCLUSIONS, "not_assessed")
        return tuple((name, counts[name]) for name in names if counts[name])

    def heaviest_unmet(self) -> tuple[Criterion, ...]:
        """The three criteria not met that weigh most."""
        unmet = [each for each in self.criteria if each.status == "not_met"]
        return tuple(sorted(unmet, key=lambda each: -each.weight_in_all)[:HEAVIEST])


def build(
    given_paper: JsonObject,
    run: JsonObject,
    results: JsonObject | None,
    rubric: JsonObject,
    log_tail: Sequence[str],
    version: str,
) -> ReportModel:
    """Everything in it may be missing but the run id; what is missing is said to be not recorded."""
    about, found = paper_part.read(given_paper), criteria_part.read(results)
    measured = measurement_part.read(results)
    happened = reproduction_part.read(run, results, list(log_tail))
    facts = rubric_part.read(rubric, results, found)
    badges = stored.items(results, "badges") if results and "badges" in results else None
    return ReportModel(
        run_id=stored.text(run, "job_id") or "",
        version=version,
        created_at=stored.moment(run, "created_at"),
        finished_at=stored.moment(run, "finished_at"),
        has_results=results is not None,
        verdict=verdict_part.read(run, results),
        paper=about,
        claims=claim_part.read(results, rubric_part.tree_of(rubric), found, measured),
        rubric=facts,
        reproduction=happened,
        criteria=found,
        groups=criteria_part.group(found, results),
        judge=judge_part.read(run, results, found),
        cost=judge_part.read_cost(run, results),
        findings=findings_part.find(run, results, about, happened, measured),
        checking=checking_part.read(run, results, facts.sha256, about.pdf_sha256),
        badges=None if badges is None else tuple(map(str, badges)),
    )
