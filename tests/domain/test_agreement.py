"""Agreement of predictions with human verdicts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import agreement


def test_metrics_of_a_small_table() -> None:
    found = agreement.measure([(True, True), (True, False), (False, False), (False, False)])
    assert (found["num_samples"], found["num_positives"], found["num_negatives"]) == (4, 2, 2)
    assert (found["accuracy"], found["coverage"]) == (0.75, 1)
    assert found["precision_macro"] == pytest.approx((1 + 2 / 3) / 2)
    assert found["recall_macro"] == pytest.approx(0.75)
    assert found["f1_macro"] == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert "incomplete" not in found


def test_only_classes_that_occur_are_averaged() -> None:
    assert agreement.measure([(True, True), (True, True)])["f1_macro"] == 1
    assert agreement.measure([(True, False)])["recall_macro"] == 0


def test_unjudged_predictions_lower_coverage_and_nothing_else() -> None:
    found = agreement.measure([(True, True), (False, None)])
    assert (found["num_samples"], found["coverage"], found["accuracy"], found["incomplete"]) == (2, 0.5, 1, True)


@pytest.mark.parametrize("pairs", [[], [(True, None)]])
def test_without_a_judged_sample_there_are_no_metrics(pairs: list[agreement.Pair]) -> None:
    found = agreement.measure(pairs)
    assert (found["coverage"], found["accuracy"], found["f1_macro"]) == (0, None, None)


@given(st.lists(st.tuples(st.booleans(), st.booleans() | st.none())))
def test_metrics_are_shares(pairs: list[agreement.Pair]) -> None:
    found = agreement.measure(pairs)
    for name in ("accuracy", "precision_macro", "recall_macro", "f1_macro", "coverage"):
        assert found[name] is None or 0 <= found[name] <= 1
