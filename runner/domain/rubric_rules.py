"""What a rubric must be to be imported (rubric-and-judge.md 1 to 3): every fault at once, and what is merely odd.

Any JSON value may come in, however hostile; nothing raises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from runner.domain import envelope_rules, leaf_rules, node_rules
from runner.domain.errors import Fault

MAX_DEPTH = 32
MAX_NODES = 20_000
_OPTIONAL_KEYS = {"rationale_from_paper", "flags", "claim", "measurement", "extract", "check"}
KNOWN_KEYS = node_rules.PLAIN_KEYS | _OPTIONAL_KEYS
_NAMED_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class RubricWarning:
    """Accepted, yet worth a look."""

    code: str
    message: str

    def to_json(self) -> dict[str, str]:
        return {"code": self.code, "message": self.message}


def is_envelope(data: object) -> bool:
    return isinstance(data, dict) and "rubric" in data


def check(data: Any) -> tuple[list[Fault], list[RubricWarning]]:
    """All faults and warnings of a rubric tree or envelope. Without faults `rubric.load` accepts its tree."""
    survey = _Survey()
    tree = data
    if is_envelope(data):
        survey.faults += envelope_rules.check(data)
        survey.is_generated = data.get("generator") is not None
        tree = data["rubric"]
    survey.visit(tree, "", 1, in_claim=False)
    return survey.faults, survey.warnings()


@dataclass
class _Survey:
    """One walk over a tree that may be anything."""

    faults: list[Fault] = field(default_factory=list)
    is_generated: bool = False
    nodes: int = 0
    ids: Counter[str] = field(default_factory=Counter)
    claim_ids: set[str] = field(default_factory=set)
    measurement_ids: set[str] = field(default_factory=set)
    unknown_keys: dict[str, None] = field(default_factory=dict)
    weightless: list[str] = field(default_factory=list)
    lonely: list[str] = field(default_factory=list)
    has_grades: bool = False

    def visit(self, node: Any, pointer: str, depth: int, in_claim: bool) -> None:
        self.nodes += 1
        if self.nodes == MAX_NODES + 1:
            self._refuse(node, pointer, "too_many_nodes", f"a rubric has at most {MAX_NODES:,} nodes")
        if self.nodes > MAX_NODES:
            return
        if not isinstance(node, dict):
            self._refuse(node, pointer, "field_invalid", "a node must be an object")
            return
        for code, sentence in node_rules.problems(node):
            self._refuse(node, pointer, code, sentence)
        self._note_keys(node, pointer)
        in_claim = self._visit_claim(node, pointer, in_claim)
        children = node.get("sub_tasks")
        if isinstance(children, list) and children:
            self._visit_children(node, children, pointer, depth, in_claim)
        elif children == []:
            self._visit_leaf(node, pointer)

    def _note_keys(self, node: dict[str, Any], pointer: str) -> None:
        if isinstance(node.get("id"), str):
            self.ids[node["id"]] += 1
        strange = node.keys() - KNOWN_KEYS
        if strange & node_rules.GRADE_KEYS:
            self.has_grades = True
        self.unknown_keys.update(dict.fromkeys(sorted(strange - node_rules.GRADE_KEYS)))
        self.unknown_keys.update(dict.fromkeys(sorted(leaf_rules.unknown_keys(node))))

    def _visit_claim(self, node: dict[str, Any], pointer: str, in_claim: bool) -> bool:
        claim = node.get("claim")
        if claim is None:
            return in_claim
        if in_claim:
            self._refuse(node, pointer, "claim_nested", "a claim cannot stand inside another claim")
        for code, sentence in node_rules.claim_problems(claim):
            self._refuse(node, pointer, code, sentence)
        if isinstance(claim, dict):
            self._refuse_repeated(node, pointer, "claim id", claim.get("id"), self.claim_ids)
        return True

    def _visit_children(
        self, node: dict[str, Any], children: list[Any], pointer: str, depth: int, in_claim: bool
    ) -> None:
        for code, sentence in node_rules.inner_problems(node):
            self._refuse(node, pointer, code, sentence)
        if len(children) == 1:
            self.lonely.append(_name(node, pointer))
        zeros = [child for child in children if isinstance(child, dict) and node_rules.weighs_nothing(child)]
        if len(zeros) == len(children):
            self._refuse(node, pointer, "weights_all_zero", "the weights of its sub_tasks are all 0")
        self.weightless += [_name(child, pointer) for child in zeros]
        if depth == MAX_DEPTH:
            self._refuse(node, pointer, "too_deep", f"a rubric is at most {MAX_DEPTH} levels deep")
            return
        for n, child in enumerate(children):
            self.visit(child, f"{pointer}/sub_tasks/{n}", depth + 1, in_claim)

    def _visit_leaf(self, node: dict[str, Any], pointer: str) -> None:
        for code, sentence in leaf_rules.problems(node, self.is_generated):
            self._refuse(node, pointer, code, sentence)
        measurement = node.get("measurement")
        if isinstance(measurement, dict):
            self._refuse_repeated(
                node, pointer, "measurementId", measurement.get("measurementId"), self.measurement_ids
            )

    def _refuse_repeated(self, node: Any, pointer: str, what: str, value: object, seen: set[str]) -> None:
        if isinstance(value, str):
            if value in seen:
                self._refuse(node, pointer, "duplicate_id", f"the {what} {value[:80]!r} is used twice")
            seen.add(value)

    def _refuse(self, node: Any, pointer: str, code: str, sentence: str) -> None:
        name = _name(node, pointer)
        where = f"node {name!r} at {pointer}" if pointer else f"root node {name!r}" if name else "root node"
        self.faults.append(Fault(name, code, f"{where}: {sentence}"))

    def warnings(self) -> list[RubricWarning]:
        repeated = [name for name, times in self.ids.items() if times > 1]
        found = {
            "duplicate_ids": ("Node ids that occur more than once, told apart by their place", repeated),
            "zero_weight": ("Nodes of weight 0, which never change a score", self.weightless),
            "unknown_keys": ("Keys that have no meaning here and are kept as they are", self.unknown_keys),
            "single_child": ("Nodes with a single sub-task, whose weight decides nothing", self.lonely),
        }
        told = [RubricWarning(code, f"{text}: {_enumerate(names)}.") for code, (text, names) in found.items() if names]
        if self.has_grades:
            keys = "score, valid_score, explanation and judge_metadata"
            told.append(RubricWarning("grades_dropped", f"This is a graded tree: its keys {keys} were dropped."))
        return told


def _name(node: Any, pointer: str) -> str:
    """The id where it can serve as one, else the JSON pointer."""
    given = node.get("id") if isinstance(node, Mapping) else None
    return given if isinstance(given, str) and node_rules.is_id(given) else pointer


def _enumerate(names: Iterable[str]) -> str:
    listed = list(names)
    rest = len(listed) - _NAMED_AT_MOST
    return ", ".join(name[:200] for name in listed[:_NAMED_AT_MOST]) + (f" and {rest} more" if rest > 0 else "")
