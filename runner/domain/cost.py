"""What a run may take, from what is known. A model whose price is not known costs null, never an invented number."""

from __future__ import annotations

from typing import Any

from runner.domain.configs import Configs

RUBRIC_WALL_TIME_SEC = 300
JUDGE_WALL_TIME_SEC = 60


def estimate(configs: Configs) -> dict[str, Any]:
    """The answer's `estimated_cost`: wall time in seconds and USD by stage, sums exact.

    A stage without a model costs 0. Prices are not read yet: a stage with a model has `cost_usd` null.
    """
    rubric, reproduce, judge = configs.rubric_config, configs.reproduce_config, configs.judge_config
    generates = rubric.model is not None and rubric.rubric_id is None
    writes = reproduce.model is not None and reproduce.submission_id is None
    breakdown = {
        "rubric": _part(RUBRIC_WALL_TIME_SEC if generates else 0, free=not generates),
        "reproduce": _part(reproduce.time_limit_sec, free=not writes),
        "judge": _part(JUDGE_WALL_TIME_SEC, free=judge.model is None),
    }
    known = all(part["cost_usd"] is not None for part in breakdown.values())
    usd = 0 if known else None
    return {
        "wall_time_sec": sum(part["wall_time_sec"] for part in breakdown.values()),
        "llm_cost_usd": usd,
        "low": usd,
        "high": usd,
        "cost_known": known,
        "breakdown": breakdown,
        "assumptions": {"judge_wall_time_sec": JUDGE_WALL_TIME_SEC, "reproduce_uses_its_whole_time_limit": True},
    }


def total(estimates: list[dict[str, Any]]) -> dict[str, Any]:
    """The sum over papers; unknown if one of them is."""
    usd = [each["llm_cost_usd"] for each in estimates]
    return {
        "wall_time_sec": sum(each["wall_time_sec"] for each in estimates),
        "llm_cost_usd": None if None in usd else sum(usd),
    }


def _part(wall_time_sec: int, *, free: bool) -> dict[str, Any]:
    return {"wall_time_sec": wall_time_sec, "cost_usd": 0 if free else None}
