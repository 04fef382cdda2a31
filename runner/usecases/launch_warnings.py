"""What a launch should make people aware of, though nothing stands in its way."""

from __future__ import annotations

from collections.abc import Sequence

from runner.domain import licence
from runner.domain.headline import counted
from runner.domain.papers import Submission
from runner.usecases.launch_checks import Check, LaunchRequest


def warnings(request: LaunchRequest, checks: Sequence[Check]) -> list[dict[str, str]]:
    found = []
    if len(set(request.paper_ids)) < len(request.paper_ids):
        found.append({"code": "duplicate_paper_id", "message": "A paper id that is named twice counts once."})
    if ignored := [name for name in _SLURM_ALONE if getattr(request.configs.reproduce_config, name)]:
        text = f"Only a Slurm run heeds {', '.join(ignored)}: this one does not."
        found.append({"code": "slurm_fields_ignored", "message": text})
    for check in checks:
        if check.paper and not licence.classify(check.paper.license).usable:
            text = f"The licence of {check.paper_id} does not say that the paper may be used: {check.paper.license}."
            found.append({"code": "license_not_usable", "message": text})
        if check.unjudged:
            count, verb = counted(check.unjudged, "criterion", "criteria"), "has" if check.unjudged == 1 else "have"
            text = (
                f"{count} of {check.paper_id} {verb} no deterministic check: this version asks no model, so what has "
                "none stays not judged, and coverage says so."
            )
            found.append({"code": "criteria_not_judged", "message": text})
        found += [_not_prepared(check.paper_id, recipe) for recipe in _recipes(check.submission)]
    return found


_SLURM_ALONE = (
    "partition",
    "nodes",
    "ntasks",
    "ntasks_per_node",
    "cpus_per_task",
    "exclusive",
    "memory_gb_per_node",
    "memory_gb_per_cpu",
    "constraint",
    "cpu_bind",
    "mem_bind",
    "hint",
    "nodelist",
    "exclude",
    "account",
    "qos",
    "extra_sbatch_args",
    "queue_limit_sec",
)
_RECIPES = ("prepare.sh", "requirements.lock", "requirements.txt", "pyproject.toml", "environment.yml")


def _recipes(submission: Submission | None) -> list[str]:
    """The recipe that an environment step would use: the first one at the root."""
    paths = {file.path for file in submission.files} if submission else set()
    return [name for name in _RECIPES if name in paths][:1]


def _not_prepared(paper_id: str, recipe: str) -> dict[str, str]:
    text = (
        f"This version has no environment step: {recipe} of {paper_id} is not carried out, and reproduce.sh runs with "
        "the software of the sandbox alone."
    )
    return {"code": "environment_not_prepared", "message": text}
