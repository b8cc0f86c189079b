"""Claims against replies, with a classifier of pairs that looks for the same words."""

from __future__ import annotations

import numpy as np
import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from guard.fairness import claim_similarities
from guard.scoring.claims import CheckedClaim, ClaimChecker, counted
from guard.scoring.models import Ids, Output
from guard.scoring.pairs import PairClassifier
from guard.text.claims import claimed

FOOD = ("apple", "bread", "candy", "dates", "eggs", "flour", "grape", "honey")
WORDS = ("[PAD]", "[UNK]", "[SEP]", "not", *FOOD)
SEPARATOR, DENIAL = WORDS.index("[SEP]"), WORDS.index("not")


def entails(ids: Ids, mask: Ids) -> Output:
    """Of a hypothesis whose words the premise has: entailed, or contradicted where one denies."""
    return np.array(
        [row_logits(row[known > 0].tolist()) for row, known in zip(ids, mask, strict=True)]
    )


def row_logits(row: list[int]) -> list[float]:
    at = row.index(SEPARATOR)
    premise, hypothesis = set(row[:at]), set(row[at + 1 :])
    if not hypothesis - {DENIAL, SEPARATOR} <= premise:
        return [0.0, 4.0, 0.0]
    denied = (DENIAL in premise) != (DENIAL in hypothesis)
    return [0.0, 0.0, 4.0] if denied else [4.0, 0.0, 0.0]


@pytest.fixture
def checker() -> ClaimChecker:
    tokenizer = Tokenizer(
        models.WordLevel({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A [SEP] $B [SEP]", special_tokens=[("[SEP]", SEPARATOR)]
    )
    return ClaimChecker(PairClassifier(tokenizer=tokenizer, padding=0, session=entails))


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
    similarity = claim_similarities(checker.labels(texts))
    assert similarity[0, 1] == pytest.approx(1.0)
    assert similarity[0, 2] == pytest.approx(0.0)
    assert similarity[0, 3] == pytest.approx(2 / 3)
    assert np.isnan(similarity[0, 0])


def test_the_likeliest_label_counts() -> None:
    (claim,) = claimed("apple bread candy").claims
    chances = [(0.5, 0.3, 0.2), (0.2, 0.5, 0.3), (0.1, 0.2, 0.7), (0.4, 0.35, 0.25)]
    assert counted([CheckedClaim(claim=claim, chances=one) for one in chances]) == (2.0, 1.0, 1.0)
