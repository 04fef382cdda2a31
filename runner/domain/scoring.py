"""Scores of a rubric from the grades of its leaves, in exact rational arithmetic (rubric-and-judge.md 4).

"Not judged" is never 0: it lowers coverage and widens the bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from runner.domain.numbers import Exact
from runner.domain.rubric import Node

Grades = Mapping[str, Exact | None]
"""JSON pointer of a leaf -> its score in [0, 1]; None or absent = not judged."""

_MOST_BITS = 4096
_KEPT_BITS = 1024


@dataclass(frozen=True, slots=True)
class Score:
    """Of one node, over its own subtree.

    `low` counts unjudged leaves as 0; `coverage` is the share of judged leaves; `raw` is the score of the tree without
    unjudged leaves and childless nodes, None when nothing was judged; `valid` = every leaf under it was judged.
    `counts` is False for a node that holds no leaf of any weight, as pruning can leave behind.
    """

    low: Exact
    coverage: Exact
    raw: Exact | None
    valid: bool
    counts: bool = True

    @property
    def high(self) -> Exact:
        """As `low`, with unjudged leaves counted as 1."""
        return self.low + 1 - self.coverage

    @property
    def final(self) -> Exact | None:
        """The score proper: None unless all shares were judged."""
        return self.low if self.coverage == 1 else None


@dataclass(frozen=True, slots=True)
class Scorecard:
    """`nodes` by JSON pointer; `shares` of the leaves, which add up to 1."""

    root: Score
    nodes: Mapping[str, Score]
    shares: Mapping[str, Fraction]


def score(root: Node, grades: Grades) -> Scorecard:
    nodes: dict[str, Score] = {}
    root_score = _score(root, grades, nodes)
    shares: dict[str, Fraction] = {}
    _share_out(root, Fraction(1), nodes, shares)
    return Scorecard(root_score, nodes, shares)


def raw_score(node: Node, grades: Grades) -> Exact | None:
    """The score of the tree over its judged leaves alone; None when none was judged."""
    return _score(node, grades, {}).raw


def _score(node: Node, grades: Grades, nodes: dict[str, Score]) -> Score:
    if node.is_leaf:
        result = _leaf(grades.get(node.pointer))
    else:
        below = [(child.weight, _score(child, grades, nodes)) for child in node.children]
        result = _inner([(weight, each) for weight, each in below if each.counts], all(each.valid for _, each in below))
    nodes[node.pointer] = result
    return result


def _leaf(grade: Exact | None) -> Score:
    if grade is None:
        return Score(low=0, coverage=0, raw=None, valid=False)
    return Score(low=grade, coverage=1, raw=grade, valid=True)


def _inner(weighted: list[tuple[Exact, Score]], valid: bool) -> Score:
    total = sum(weight for weight, _ in weighted)
    if total == 0:
        return Score(low=0, coverage=0, raw=None, valid=valid, counts=False)
    judged = [(weight, each.raw) for weight, each in weighted if each.raw is not None]
    judged_total = sum(weight for weight, _ in judged)
    return Score(
        low=_ratio(sum(weight * each.low for weight, each in weighted), total),
        coverage=_ratio(sum(weight * each.coverage for weight, each in weighted), total),
        raw=_ratio(sum(weight * raw for weight, raw in judged), judged_total) if judged_total else None,
        valid=valid,
    )


def _ratio(part: Exact, whole: Exact) -> Exact:
    """part / whole; exact for any rubric a person writes.

    Weights without a common measure add digits with every node: beyond 4,096 bits the value is rounded to a multiple of
    2**-1024. 0 and 1 stay what they are.
    """
    value = Fraction(part) / whole
    if value.denominator == 1:
        return value.numerator
    if value.denominator.bit_length() > _MOST_BITS:
        return Fraction(round(value * 2**_KEPT_BITS), 2**_KEPT_BITS)
    return value


def _share_out(node: Node, share: Fraction, nodes: Mapping[str, Score], shares: dict[str, Fraction]) -> None:
    if node.is_leaf:
        shares[node.pointer] = share
        return
    total = sum(child.weight for child in node.children if nodes[child.pointer].counts)
    for child in node.children:
        has_share = total and nodes[child.pointer].counts
        _share_out(child, share * child.weight / total if has_share else Fraction(0), nodes, shares)
