"""The rubric: a weighted tree whose leaves are criteria (rubric-and-judge.md 1).

A `Node` is made from JSON that `rubric_rules.check` has accepted. Nodes are addressed by their JSON pointer in the
stored rubric, also inside pruned views; ids may repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from runner.domain import criterion_rules, numbers
from runner.domain.criterion import Check, Measurement
from runner.domain.numbers import Exact

CATEGORIES = ("Code Development", "Code Execution", "Result Analysis")
CODE_DEVELOPMENT, CODE_EXECUTION, RESULT_ANALYSIS = CATEGORIES
SUBTREE = "Subtree"
DATA_ACQUISITION = "Dataset and Model Acquisition"
FINE_CATEGORIES = (
    "Environment & Infrastructure Setup",
    DATA_ACQUISITION,
    "Data Processing & Preparation",
    "Method Implementation",
    "Experimental Setup",
    "Evaluation, Metrics & Benchmarking",
    "Logging, Analysis & Presentation",
)
ClaimKind = Literal["empirical", "theoretical", "artifact"]
CLAIM_KINDS: tuple[ClaimKind, ...] = ("empirical", "theoretical", "artifact")


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """The `claim` of a node."""

    id: str
    text: str
    kind: ClaimKind


@dataclass(frozen=True, slots=True)
class Node:
    """One node. `path` = ancestor ids from the root; `raw` is the JSON it was read from and must not be changed."""

    id: str
    pointer: str
    path: tuple[str, ...]
    requirements: str
    weight: Exact
    children: tuple[Node, ...]
    task_category: str | None
    finegrained_task_category: str | None
    claim: StatedClaim | None
    measurement: Measurement | None
    check: Check | None
    raw: Mapping[str, Any]

    @property
    def is_leaf(self) -> bool:
        return not self.children

    @property
    def has_rule(self) -> bool:
        """Whether a check decides this criterion, without a model."""
        return self.measurement is not None or self.check is not None


def load(tree: Mapping[str, Any]) -> Node:
    """The node tree of accepted rubric JSON."""
    return _load(tree, "", ())


def walk(node: Node) -> Iterator[Node]:
    """The node and everything under it, depth first, in tree order."""
    yield node
    for child in node.children:
        yield from walk(child)


def leaves(node: Node) -> list[Node]:
    """The criteria of a tree, in tree order."""
    return [each for each in walk(node) if not each.children]


def count_categories(node: Node) -> dict[str, int]:
    """Leaves per task category, each of the three named."""
    counts = dict.fromkeys(CATEGORIES, 0)
    for leaf in leaves(node):
        if leaf.task_category in counts:
            counts[leaf.task_category] += 1
    return counts


def _load(raw: Mapping[str, Any], pointer: str, path: tuple[str, ...]) -> Node:
    below = (*path, raw["id"])
    children = tuple(_load(child, f"{pointer}/sub_tasks/{n}", below) for n, child in enumerate(raw["sub_tasks"]))
    measurement, check = (None, None) if children else criterion_rules.read_rule(raw, [], [])
    weight = raw["weight"]
    return Node(
        id=raw["id"],
        pointer=pointer,
        path=path,
        requirements=raw["requirements"],
        weight=weight if isinstance(weight, int) else numbers.exact(weight),
        children=children,
        task_category=raw.get("task_category"),
        finegrained_task_category=raw.get("finegrained_task_category"),
        claim=_claim(raw.get("claim")),
        measurement=measurement,
        check=check,
        raw=raw,
    )


def _claim(raw: Mapping[str, Any] | None) -> StatedClaim | None:
    return StatedClaim(raw["id"], raw["text"], raw["kind"]) if raw else None
