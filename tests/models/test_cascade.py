"""What second looks are worth: recall and false positives, alone and at equal recall."""

import math

import numpy as np
import pytest

from evaluate.cascade import Scored, at_equal_recall, equal_recall_threshold, joined, score, table
from evaluate.rivals import Rival
from train.heads import KEYS


def scored(fast: list[float], second: list[float], harmful: str) -> Scored:
    labels = np.array([letter == "h" for letter in harmful])
    return Scored(fast=np.array(fast), second=np.array(second), harmful=labels)


EXAMPLE = scored(
    [0.9, 0.8, 0.7, 0.2, 0.95, 0.85, 0.75, 0.1],
    [0.9, 0.3, 0.8, math.nan, 0.2, 0.85, 0.1, math.nan],
    "hhhh....",
)


def test_errors_are_compared_at_the_same_recall() -> None:
    alone, both = at_equal_recall(EXAMPLE, 0.8)
    assert (alone.recall, alone.false_positives) == (0.5, 2)
    assert (both.recall, both.false_positives) == (0.5, 1)


def test_what_the_second_look_was_not_asked_of_does_not_fire() -> None:
    assert equal_recall_threshold(EXAMPLE, 0.75) == 0.3
    with pytest.raises(ValueError, match="fewer harmful texts"):
        equal_recall_threshold(EXAMPLE, 1.0)
    assert equal_recall_threshold(EXAMPLE, 0.0) > 1


def test_the_second_classifier_reads_what_is_near_the_threshold_or_above() -> None:
    asked: list[str] = []

    def fast(texts: list[str]) -> np.ndarray:
        return np.array([[float(text)] * len(KEYS) for text in texts])

    def second(texts: list[str]) -> np.ndarray:
        asked.extend(texts)
        return np.full((len(texts), len(KEYS)), 0.5)

    rivals = [Rival(predict=each, thresholds={}) for each in (fast, second)]
    found = score(["0.1", "0.7", "0.69", "0.9"], np.array([False] * 4), *rivals, 0.7)
    assert asked == ["0.7", "0.9"]
    assert np.isnan(found.second).tolist() == [True, False, True, False]


def test_the_table_has_each_set_and_all_of_them() -> None:
    more = joined([EXAMPLE] * 10)
    rows = table({"one": more, "other": more}, (0.8, 0.5)).splitlines()
    assert [row.split("|")[1].strip() for row in rows] == ["set", "---", "one", "other", "all"]
    assert "| one | 40 | 40 | 0.750 | 0.500, 20 | 0.500, 10 | 0.50 (" in rows[2]
