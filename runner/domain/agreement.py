"""How well predicted verdicts agree with human ones (rubric-and-judge.md 10)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

Pair = tuple[bool, bool | None]
"""(what the human says, what was predicted; None = not judged)."""


def measure(pairs: Iterable[Pair]) -> dict[str, Any]:
    """Accuracy, and precision, recall and F1 as plain means over the classes that occur in labels or predictions.

    A division by zero gives 0. The metrics are over judged samples, null when there is none; `coverage` is their share
    of all samples, and below 1 the result says `incomplete`.
    """
    samples = list(pairs)
    judged = [(label, predicted) for label, predicted in samples if predicted is not None]
    positives = sum(label for label, _ in samples)
    coverage = _ratio(len(judged), len(samples))
    return {
        "num_samples": len(samples),
        "num_positives": positives,
        "num_negatives": len(samples) - positives,
        "coverage": coverage,
        **(_metrics(judged) if judged else dict.fromkeys(_NAMES)),
        **({"incomplete": True} if coverage < 1 else {}),
    }


_NAMES = ("accuracy", "precision_macro", "recall_macro", "f1_macro")


def _metrics(judged: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    classes = sorted({label for label, _ in judged} | {predicted for _, predicted in judged})
    by_class = [_precision_recall_f1(judged, each) for each in classes]
    accuracy = _ratio(sum(label == predicted for label, predicted in judged), len(judged))
    precision, recall, f1 = (sum(column) / len(classes) for column in zip(*by_class, strict=True))
    return dict(zip(_NAMES, (accuracy, precision, recall, f1), strict=True))


def _precision_recall_f1(judged: Sequence[tuple[bool, bool]], positive: bool) -> tuple[float, float, float]:
    hits = sum(label == predicted == positive for label, predicted in judged)
    precision = _ratio(hits, sum(predicted == positive for _, predicted in judged))
    recall = _ratio(hits, sum(label == positive for label, _ in judged))
    return precision, recall, _ratio(2 * precision * recall, precision + recall)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
