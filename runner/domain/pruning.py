"""Views of a rubric: what one run grades. The stored rubric stays as it is (rubric-and-judge.md 5).

Leaves are removed, never zeroed: their siblings share out the weight among themselves and a full mark stays reachable.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from runner.domain.errors import Invalid
from runner.domain.numbers import Exact, plain
from runner.domain.rubric import CODE_DEVELOPMENT, DATA_ACQUISITION, SUBTREE, Node


def view(
    root: Node, *, code_only: bool = False, resources_provided: bool = False, max_depth: int | None = None
) -> Node:
    """The tree of the leaves that are graded; nodes keep their JSON pointers in the stored rubric.

    `max_depth` (1 = root only) turns inner nodes at that depth into Subtree criteria. Raises Invalid
    `rubric_nothing_to_grade` when no leaf of any weight is left.
    """
    kept: Node | None = root
    if code_only:
        kept = keep_leaves(kept, lambda leaf: leaf.task_category == CODE_DEVELOPMENT)
    if resources_provided:
        kept = keep_leaves(kept, lambda leaf: leaf.finegrained_task_category != DATA_ACQUISITION)
    if kept is None or not _weighs(kept):
        raise Invalid("No criterion is left to grade after leaves were left out.", "rubric_nothing_to_grade")
    return kept if max_depth is None else _cut(kept, max_depth)


def keep_leaves(node: Node | None, keep: Callable[[Node], bool]) -> Node | None:
    """The tree without the leaves that `keep` refuses and without the nodes that this leaves childless."""
    if node is None or node.is_leaf:
        return node if node is not None and keep(node) else None
    children = tuple(kept for child in node.children if (kept := keep_leaves(child, keep)) is not None)
    if children == node.children:
        return node
    return replace(node, children=children) if children else None


def _weighs(node: Node) -> bool:
    return node.is_leaf or any(child.weight > 0 and _weighs(child) for child in node.children)


def _cut(node: Node, depth: int) -> Node:
    if node.is_leaf:
        return node
    if depth > 1:
        return replace(node, children=tuple(_cut(child, depth - 1) for child in node.children))
    text = "\n".join([node.requirements, *_outline(node, 1)])
    return replace(node, requirements=text, children=(), task_category=SUBTREE)


def _outline(node: Node, level: int) -> list[str]:
    """The requirements under a node, indented, each with its weight among its siblings."""
    lines = []
    for child in node.children:
        lines.append(f"{'  ' * level}- (weight {_say_weight(child.weight)}) {child.requirements}")
        lines += _outline(child, level + 1)
    return lines


def _say_weight(weight: Exact) -> str:
    return f"{plain(weight):g}"
