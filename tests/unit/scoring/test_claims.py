"""Claims against replies, with a classifier of pairs that looks for the same words."""

from __future__ import annotations

import numpy as np
import pytest

from guard.fairness import claim_similarities
from guard.scoring.claims import ClaimChecker
from guard.text.claims import CheckedClaim, claimed, counted
from tests.pair_models import pair_classifier

FOOD = ("apple", "bread", "candy", "dates", "eggs", "flour", "grape", "honey")


@pytest.fixture
def checker() -> ClaimChecker:
    return ClaimChecker(pair_classifier(FOOD))


def test_each_claim_is_checked_against_the_other_reply(checker: ClaimChecker) -> None:
    one, other, denied = (
        claimed("Apple bread candy. Dates eggs flour. Bread candy grape."),
        claimed("Candy bread apple."),
        claimed("Not apple bread candy."),
    )
    pairs = [(0, 1), (1, 0), (0, 2), (2, 0)]
    found = checker.check([one, other, denied], pairs)
    assert list(map(counted, found)) == [(1, 2, 0), (1, 0, 0), (0, 2, 1), (0, 0, 1)]
    assert [claim.claim.text for claim in found[0]] == [
        "Apple bread candy.",
        "Dates eggs flour.",
        "Bread candy grape.",
    ]
    assert all(sum(claim.chances) == pytest.approx(1.0) for each in found for claim in each)


def test_the_same_sentence_is_entailed_and_nothing_is_neutral(checker: ClaimChecker) -> None:
    same, nothing = claimed("grape grape honey"), claimed("")
    ((alike,), (alone,)) = checker.check([same, nothing], [(0, 0), (0, 1)])
    assert alike.chances == (1.0, 0.0, 0.0)
    assert alone.chances == (0.0, 1.0, 0.0)
    assert checker.check([nothing], []) == []


def test_labels_make_similarities(checker: ClaimChecker) -> None:
    texts = [
        "Apple bread candy.",
        "Candy bread apple.",
        "Not apple bread candy.",
        "Dates eggs flour. Apple bread candy.",
    ]
    similarity = claim_similarities(checker.labels([claimed(text) for text in texts]))
    assert similarity[0, 1] == pytest.approx(1.0)
    assert similarity[0, 2] == pytest.approx(0.0)
    assert similarity[0, 3] == pytest.approx(2 / 3)
    assert np.isnan(similarity[0, 0])


def test_all_replies_are_checked_against_all_and_against_themselves(checker: ClaimChecker) -> None:
    texts = ["Apple bread candy. Dates eggs flour.", "Candy bread apple.", ""]
    found = [[counted(one) for one in row] for row in checker.check_all(texts)]
    assert found[0] == [(2, 0, 0), (1, 1, 0), (0, 2, 0)]
    assert found[1] == [(1, 0, 0), (1, 0, 0), (0, 1, 0)]
    assert found[2] == [(0, 0, 0)] * 3


def test_the_likeliest_label_counts() -> None:
    (claim,) = claimed("apple bread candy").claims
    chances = [(0.5, 0.3, 0.2), (0.2, 0.5, 0.3), (0.1, 0.2, 0.7), (0.4, 0.35, 0.25)]
    assert counted([CheckedClaim(claim=claim, chances=one) for one in chances]) == (2.0, 1.0, 1.0)
