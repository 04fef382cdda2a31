"""What is checked before a launch: everything that can be checked for free, each problem with its field and way out."""

from __future__ import annotations

from dataclasses import dataclass

from runner.domain import pruning, rubric
from runner.domain.configs import Configs, ReproduceConfig
from runner.domain.errors import DomainError, Fault, Invalid, NotFound
from runner.domain.papers import Paper, RubricVersion, Submission
from runner.ports import Ports


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What is asked for. `submission_given` is False when `submission_id` is absent (the newest is taken then)."""

    paper_ids: tuple[str, ...]
    configs: Configs
    budget_usd: float | None = None
    submission_field_set: bool = False
    idempotency_key: str | None = None
    body_sha256: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One paper, what its run would use, and what is in its way."""

    paper_id: str
    problems: tuple[Fault, ...]
    paper: Paper | None = None
    rubric: RubricVersion | None = None
    submission: Submission | None = None
    unjudged: int = 0


def check(ports: Ports, request: LaunchRequest, paper_id: str, with_private: bool) -> Check:
    try:
        paper = ports.papers.get(paper_id)
        if paper.visibility == "private" and not with_private:
            raise NotFound(f"There is no paper {paper_id}.", "paper_not_found")
    except NotFound as error:
        return Check(paper_id, (Fault("paper_ids", "paper_not_found", error.message),))
    problems: list[Fault] = []
    version = _given_rubric(ports, request, paper, problems)
    submission = _given_submission(ports, request, paper, problems)
    unjudged = _gradable(request, version, problems) if version else 0
    _sandbox(ports, request, problems)
    return Check(paper_id, tuple(problems), paper, version, submission, unjudged)


def _given_rubric(ports: Ports, request: LaunchRequest, paper: Paper, problems: list[Fault]) -> RubricVersion | None:
    config = request.configs.rubric_config
    if config.rubric_id is None and config.model is not None:
        text = "This version does not write rubrics: store one with PUT /papers/{paper_id}/rubric and leave model out."
        problems.append(Fault("rubric_config.model", "rubric_missing", text))
        return None
    try:
        if config.rubric_id is None:
            return ports.rubrics.newest(paper.repository_id)
        version = ports.rubrics.get(config.rubric_id)
        if version.repository_id != paper.repository_id:
            raise NotFound(f"The paper {paper.paper_id} has no rubric {config.rubric_id}.", "rubric_not_found")
        return version
    except NotFound as error:
        if config.rubric_id is not None:
            problems.append(Fault("rubric_config.rubric_id", "rubric_not_found", error.message))
        else:
            text = f"The paper {paper.paper_id} has no rubric: store one with PUT /papers/{paper.paper_id}/rubric."
            problems.append(Fault("paper_ids", "rubric_missing", text))
        return None


def _given_submission(ports: Ports, request: LaunchRequest, paper: Paper, problems: list[Fault]) -> Submission | None:
    asked = request.configs.reproduce_config.submission_id
    missing = (
        f"The paper {paper.paper_id} has no submission: send one with POST /papers/{paper.paper_id}/submission. "
        "This version does not let an agent write one."
    )
    try:
        if asked is None and request.submission_field_set:
            raise NotFound(missing, "submission_missing")
        submission = ports.submissions.newest(paper.repository_id) if asked is None else ports.submissions.get(asked)
        if submission.repository_id != paper.repository_id:
            raise NotFound(f"The paper {paper.paper_id} has no submission {asked}.", "submission_not_found")
    except NotFound as error:
        if asked is None:
            problems.append(Fault("paper_ids", "submission_missing", missing))
        else:
            problems.append(Fault("reproduce_config.submission_id", "submission_not_found", error.message))
        return None
    if not submission.has_script and not request.configs.judge_config.code_only:
        text = "The submission has no reproduce.sh at its root: add one, or ask for judge_config.code_only."
        problems.append(
            Fault("reproduce_config.submission_id" if asked else "paper_ids", "submission_no_reproduce_sh", text)
        )
    return submission


def _gradable(request: LaunchRequest, version: RubricVersion, problems: list[Fault]) -> int:
    """How many criteria of the view no check decides."""
    judge = request.configs.judge_config
    try:
        view = pruning.view(
            rubric.load(version.tree),
            code_only=bool(judge.code_only),
            resources_provided=judge.resources_provided,
            max_depth=judge.max_depth,
        )
    except DomainError as error:
        problems.append(Fault("judge_config", error.code, error.message))
        return 0
    return sum(1 for leaf in rubric.leaves(view) if not leaf.has_rule)


def _sandbox(ports: Ports, request: LaunchRequest, problems: list[Fault]) -> None:
    config = request.configs.reproduce_config
    if config.network:
        text = "This version never gives a run network: bring what reproduce.sh needs inside the submission."
        problems.append(Fault("reproduce_config.network", "network_not_allowed", text))
    if request.configs.judge_config.code_only:
        return
    try:
        kind = ports.sandboxes.choose(config.sandbox_kind).kind
    except Invalid as error:
        problems.append(Fault("reproduce_config.sandbox_kind", error.code, error.message))
    else:
        problems += _not_offered(config, kind)


def _not_offered(config: ReproduceConfig, kind: str) -> list[Fault]:
    """What was asked for and no sandbox of this version gives: refused, never left out in silence."""
    faults = []
    for name in ("gpus_per_node", "gpus_per_task", "gpu_type"):
        if getattr(config, name):
            text = f"The sandbox {kind} gives no GPU in this version: leave {name} out."
            faults.append(Fault(f"reproduce_config.{name}", "gpu_unavailable", text))
    if config.container_image:
        text = f"The sandbox {kind} runs no container image: leave container_image out."
        faults.append(Fault("reproduce_config.container_image", "sandbox_unavailable", text))
    return faults
