"""What is made ready once for a reply says the same as the plain definitions, pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.fairness.word_overlap import ReplyWords, bleu_of, numbered, rouge_of, runs_of

WORDS = st.lists(st.sampled_from("abcde"), max_size=30)
LONG = 2_001
"""Words of a reply of which nothing is kept."""


def longest(a: Sequence[str], b: Sequence[str]) -> int:
    """The length of the longest common subsequence, from the whole table."""
    row = [0] * (len(b) + 1)
    for x in a:
        last, row = row, [0]
        for place, y in enumerate(b):
            row.append(last[place] + 1 if x == y else max(last[place + 1], row[-1]))
    return row[-1]


def bleu(a: Sequence[str], b: Sequence[str]) -> float:
    """BLEU of a against b, as its definition reads."""
    orders = range(1, min(4, len(a), len(b)) + 1)
    runs = {
        n: [Counter(tuple(x[i : i + n]) for i in range(len(x) - n + 1)) for x in (a, b)]
        for n in orders
    }
    shares = [(one & two).total() / one.total() for one, two in runs.values()]
    return exp(min(0.0, 1 - len(b) / len(a))) * prod(shares) ** (1 / len(shares))


@given(WORDS, WORDS)
def test_numbered_sets_share_what_the_lists_share(a: list[str], b: list[str]) -> None:
    for n in range(1, 5):
        one, two = runs_of(a, n), runs_of(b, n)
        assert len(numbered(one)) == len(one)
        assert len(numbered(one) & numbered(two)) == (Counter(one) & Counter(two)).total()


@given(WORDS, WORDS)
def test_rouge_is_that_of_the_table(a: list[str], b: list[str]) -> None:
    found = rouge_of(ReplyWords(words=a), ReplyWords(words=b))
    if a and b:
        assert found == 2 * longest(a, b) / (len(a) + len(b))
    else:
        assert found == float(a == b)


@given(WORDS, WORDS)
def test_bleu_is_that_of_its_definition(a: list[str], b: list[str]) -> None:
    found = bleu_of(ReplyWords(words=a), ReplyWords(words=b))
    expected = min(bleu(a, b), bleu(b, a)) if a and b else float(a == b)
    assert found == pytest.approx(expected, abs=1e-12)


@given(st.lists(WORDS, min_size=2, max_size=5))
def test_a_reply_says_the_same_the_second_time(many: list[list[str]]) -> None:
    made = [ReplyWords(words=one) for one in many]
    for one, ready in zip(many, made, strict=True):
        for two, other in zip(many, made, strict=True):
            fresh = ReplyWords(words=one), ReplyWords(words=two)
            assert rouge_of(ready, other) == rouge_of(*fresh)
            assert bleu_of(ready, other) == bleu_of(*fresh)


def test_long_replies_are_compared_as_short_ones_are() -> None:
    words = [f"{n % 700}" for n in range(LONG)]
    long, other = ReplyWords(words=words), ReplyWords(words=words[::-1])
    assert rouge_of(long, long) == bleu_of(long, long) == 1.0
    assert rouge_of(long, other) == 2 * longest(words, words[::-1]) / (2 * LONG)
    assert bleu_of(long, other) == 0.0
    assert vars(long) == {"words": words, "text": ""}
