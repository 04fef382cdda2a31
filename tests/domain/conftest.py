"""Builders of small rubrics, as the JSON that people send."""

from __future__ import annotations

from typing import Any

import pytest

from runner.domain import criterion_rules, rubric
from runner.domain.criterion import Check, Measurement
from runner.domain.rubric import Node


class Build:
    """Rubric JSON with short words."""

    @staticmethod
    def leaf(name: str, weight: float = 1, category: str = rubric.RESULT_ANALYSIS, **more: Any) -> dict[str, Any]:
        required = {"id": name, "requirements": f"{name} holds.", "weight": weight, "sub_tasks": []}
        return {**required, "task_category": category, **more}

    @staticmethod
    def node(name: str, children: list[dict[str, Any]], weight: float = 1, **more: Any) -> dict[str, Any]:
        return {"id": name, "requirements": f"All of {name}.", "weight": weight, "sub_tasks": children, **more}

    @staticmethod
    def measurement(name: str, reported: float, tolerance: Any, **more: Any) -> dict[str, Any]:
        given = {"measurementId": name, "metric": "accuracy", "unit": "points", "dimensions": {"dataset": "synthetic"}}
        return {**given, "reportedValue": reported, "tolerance": tolerance, **more}

    def measured_leaf(
        self, name: str, reported: float, tolerance: Any, weight: float = 1, **more: Any
    ) -> dict[str, Any]:
        return self.leaf(name, weight, measurement=self.measurement(name, reported, tolerance), **more)

    @staticmethod
    def claim(name: str, kind: str = "empirical") -> dict[str, str]:
        return {"id": name, "text": f"{name} is true.", "kind": kind}

    @staticmethod
    def tree(data: dict[str, Any]) -> Node:
        return rubric.load(data)

    def rule(self, **keys: Any) -> tuple[Measurement | None, Check | None]:
        """The rule of a leaf with these keys, which must be without problems."""
        problems: list[str] = []
        found = criterion_rules.read_rule(self.leaf("l", **keys), problems, problems)
        assert problems == []
        return found


@pytest.fixture(scope="session")
def build() -> Build:
    return Build()
