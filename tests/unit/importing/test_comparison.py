import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.errors import ModelError
from guard.importing.comparison import (
    Precision,
    Tolerance,
    compare_scores,
    compare_vectors,
    rank_correlation,
    read_labels,
    require_close,
)
from guard.importing.labels import LabelHead
from guard.importing.thresholds import choose_threshold

HEADS = (
    LabelHead(key="stereotype", weights=(0, 1, 1)),
    LabelHead(key="sentiment", weights=(0, 0.5, 1)),
)


def test_labels_that_exclude_each_other_are_summed_with_their_weights():
    logits = np.log([[0.5, 0.3, 0.2]])
    assert read_labels(logits, HEADS, exclusive=True)[0] == pytest.approx([0.5, 0.35])


def test_of_labels_that_stand_alone_the_highest_counts():
    heads = (LabelHead(key="toxicity", weights=(1, 1, 0)),)
    assert read_labels(np.array([[0.0, 2.0, 9.0]]), heads, exclusive=False)[0] == pytest.approx(
        [1 / (1 + math.exp(-2))]
    )


def test_a_comparison_says_how_far_scores_and_decisions_are_apart():
    theirs = np.array([[0.1, 0.1], [0.48, 0.5], [0.9, 0.9]])
    ours = np.array([[0.1, 0.1], [0.52, 0.5], [0.8, 0.9]])
    stereotype, sentiment = compare_scores(theirs, ours, HEADS).heads
    assert stereotype.largest == pytest.approx(0.1)
    assert stereotype.mean == pytest.approx(0.14 / 3)
    assert stereotype.flips == pytest.approx(1 / 3)
    assert (stereotype.reached, sentiment.reached) == (1, None)
    assert (stereotype.rank, sentiment.flips, sentiment.mean) == (pytest.approx(1.0), 0, 0)


@pytest.mark.parametrize(
    ("ours", "message"),
    [
        ([[0.1], [0.95]], "by 0.45 at most, not 0.2"),
        ([[0.25], [0.35]], "by 0.15 on average, not 0.02"),
        ([[0.1], [0.499]], "50.0% of the decisions differ"),
        ([[0.1], [math.nan]], "by nan at most"),
    ],
)
def test_what_is_too_far_away_is_refused_with_the_figures(ours, message):
    found = compare_scores(np.array([[0.1], [0.5]]), np.array(ours), HEADS[:1])
    with pytest.raises(ModelError, match=f"{message}.*try --precision fp16 or fp32"):
        require_close(found, Tolerance.of(Precision.INT8))
    if "nan" not in message:
        require_close(
            compare_scores(np.array([[0.1]]), np.array([[0.1]]), HEADS[:1]),
            Tolerance.of(Precision.FP32),
        )


def test_a_score_that_depends_on_the_batch_is_refused():
    scores = np.array([[0.1], [0.5]])
    found = compare_scores(scores, scores, HEADS[:1])
    require_close(replace(found, batch=0.019), Tolerance.of(Precision.INT8))
    with pytest.raises(
        ModelError, match=r"changes by 0\.03 with what it is batched with, not 0\.02"
    ):
        require_close(replace(found, batch=0.03), Tolerance.of(Precision.INT8))
    with pytest.raises(ModelError, match="not 1e-05 at most"):
        require_close(replace(found, batch=math.nan), Tolerance.of(Precision.FP32))


def test_vectors_are_compared_by_their_cosines():
    theirs = np.array([[1.0, 0.0], [0.0, 2.0]])
    require_close(compare_vectors(theirs, theirs / 2), Tolerance.of(Precision.FP32))
    found = compare_vectors(theirs, np.array([[1.0, 0.0], [0.6, 0.8]]))
    assert (found.lowest_cosine, found.mean_cosine) == (pytest.approx(0.8), pytest.approx(0.9))
    with pytest.raises(ModelError, match=r"lowest cosine 0\.800000, not 0\.95"):
        require_close(found, Tolerance.of(Precision.INT8))


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_ranks_do_not_change_with_a_scale(values):
    left = np.array(values)
    found = rank_correlation(left, left * 2)
    assert found is None or found == pytest.approx(1)


def test_ranks_of_equal_values_are_shared():
    assert rank_correlation(np.array([1.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0])) is None
    found = rank_correlation(np.array([1.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert found == pytest.approx(0.9486833)  # scipy.stats.spearmanr


@given(
    st.lists(st.floats(0, 0.999), min_size=100, max_size=300),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_a_threshold_keeps_to_its_false_positive_rate(harmless, rate):
    found = choose_threshold("toxicity", harmless, [], rate=rate)
    assert sum(score >= found.threshold for score in harmless) <= rate * len(harmless) + 1e-9
    assert found.low <= found.threshold
    assert found.high is None or found.threshold <= found.high
    assert found.rate_low <= found.false_positive_rate <= found.rate_high


def test_a_threshold_is_no_higher_than_it_has_to_be():
    harmless = [n / 1000 for n in range(1000)]
    found = choose_threshold("toxicity", harmless, [0.2, 0.995], rate=0.01)
    assert (found.threshold, found.recall) == (0.99, 0.5)
    assert (found.low, found.high) == (0.983, 0.997)


def test_too_few_texts_give_no_threshold():
    with pytest.raises(ModelError, match="it takes 100"):
        choose_threshold("toxicity", [0.1] * 99, [], rate=0.01)
    assert choose_threshold("toxicity", [0.1] * 100, [], rate=0.01).high is None
