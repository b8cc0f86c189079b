"""A sentence is judged with what stands around it, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.records import Span, Unscored
from guard.scoring.assessment import Heads
from guard.scoring.catalogue import ManifestHead
from guard.scoring.models import Ids, Output
from guard.text import sentences, with_neighbours
from tests.unit.scoring.conftest import BAD, MEAN, PLAIN

BESIDE, NEAR, HIGH, LOW = 0.622, 0.870, 0.982, 0.018
"""NEAR: BESIDE in context and HIGH alone, which has a weight of .4 in log odds."""


def softened(ids: Ids, _mask: Ids) -> Output:
    """`bad` is toxic, and only near it beside `mean`, which is harmless by itself."""
    bad, mean = (ids == BAD).any(1), (ids == MEAN).any(1)
    toxicity = np.where(bad, np.where(mean, 0.5, 4.0), -4.0)
    return np.stack([toxicity, (ids == PLAIN).sum(1) * -0.1], axis=1).astype(np.float32)


def sharpened(ids: Ids, _mask: Ids) -> Output:
    """`bad` and `mean` come near; side by side they are toxic."""
    both = (ids == BAD).any(1) & (ids == MEAN).any(1)
    either = (ids == BAD).any(1) | (ids == MEAN).any(1)
    toxicity = np.where(both, 4.0, np.where(either, 0.5, -4.0))
    return np.stack([toxicity, toxicity * 0], axis=1).astype(np.float32)


def values(found, text: str) -> dict[str, float]:
    return {text[one.span.start : one.span.end]: one.values["toxicity"] for one in found.passages}


def test_a_sentence_that_is_harmless_beside_its_neighbour_is_harmless(by_hand) -> None:
    hand = by_hand(softened)
    text = "So bad. It is mean here. Then one two three. Four."
    found = hand.score(text)
    assert values(found, text)["So bad."] == pytest.approx(NEAR, abs=1e-3)
    assert text in hand.heard


def test_alone_it_is_what_it_is(by_hand) -> None:
    hand = by_hand(softened)
    found = hand.score("So bad.")
    assert found.passages[0].values["toxicity"] == pytest.approx(HIGH, abs=1e-3)
    assert len(hand.batches) == 1


def test_a_sentence_can_be_worse_beside_its_neighbour(by_hand) -> None:
    hand = by_hand(sharpened)
    text = "Aa bb. So bad. So mean. Cc dd ee ff."
    found = values(hand.score(text), text)
    assert found["So bad."] == found["So mean."] == pytest.approx(0.931, abs=1e-3)
    assert found["Aa bb."] == pytest.approx(LOW, abs=1e-3)


def test_only_sentences_that_come_near_alone_are_read_again(by_hand) -> None:
    hand = by_hand(softened)
    hand.score("Aa bb cc dd. " * 4 + "So bad. " + "Ee ff gg hh. " * 4)
    windows, alone, context = hand.stages()
    assert windows > alone > context == 1


def test_a_short_text_is_its_own_context(by_hand) -> None:
    hand = by_hand(softened)
    text = "So bad. It is mean."
    found = hand.score(text)
    assert found.value("toxicity") == pytest.approx(BESIDE, abs=1e-3)
    assert values(found, text)["So bad."] == pytest.approx(NEAR, abs=1e-3)
    assert hand.stages() == (1, 2, 0)


def test_a_window_counts_where_one_of_its_sentences_does(by_hand) -> None:
    """What a window of a long text makes of harmless sentences together is no score of the text."""

    def session(ids: Ids, _mask: Ids) -> Output:
        toxicity = np.where((ids == PLAIN).sum(1) >= 6, 3.0, -3.0)
        return np.stack([toxicity, toxicity * 0], axis=1).astype(np.float32)

    hand = by_hand(session)
    found = hand.score("Aa bb cc. " * 9)
    assert found.value("toxicity") == pytest.approx(0.047, abs=1e-3)
    assert found.passages
    assert hand.score("Aa bb. Cc dd. Ee ff.").value("toxicity") > 0.9


def test_a_sentence_of_hate_is_found_among_many_harmless_ones(by_hand) -> None:
    """It hardly moves the score of its window, which is far from its threshold."""

    def session(ids: Ids, mask: Ids) -> Output:
        alone = softened(ids, mask)
        diluted = (ids == BAD).any(1) & ((ids == PLAIN).sum(1) >= 40)
        return np.where(diluted[:, None], -2.0, alone).astype(np.float32)

    hand = by_hand(session, window_tokens=128)
    text = "So bad. " + "Aa bb cc. " * 16
    found = hand.score(text)
    assert found.value("toxicity") == pytest.approx(0.119, abs=1e-3)
    assert max(values(found, text).values()) == pytest.approx(HIGH, abs=1e-3)
    assert hand.score("Aa bb cc. " * 16).passages == ()


def test_a_text_whose_sentences_were_not_read_in_time_is_not_judged(by_hand) -> None:
    def session(ids: Ids, mask: Ids) -> Output:
        return np.where((ids == PLAIN).sum(1)[:, None] >= 40, -2.0, softened(ids, mask))

    hand = by_hand(session, window_tokens=128)
    future = hand.submit("So bad. " + "Aa bb cc. " * 16, due_at=5.0)
    hand.batch()
    hand.clock.now = 6.0
    hand.pool.answer(hand.queue.expire())
    found = future.result(0)
    assert found.reason is Unscored.DEADLINE
    assert found.value("toxicity") == pytest.approx(0.119, abs=1e-3)


def test_the_score_of_a_short_window_speaks_for_its_sentences(by_hand) -> None:
    def session(ids: Ids, _mask: Ids) -> Output:
        return np.full((len(ids), 2), -0.5 if ids.shape[1] > 20 else 4.0, np.float32)

    text = "Aa bb cc. " * 8
    assert by_hand(session, window_tokens=128).score(text).passages == ()


def test_a_context_that_is_cut_short_leaves_the_sentence_alone(by_hand) -> None:
    hand = by_hand(softened)
    text = "Aa bb cc dd ee. So bad. It is mean here. Then one two three."
    future = hand.submit(text, due_at=5.0)
    while hand.stages()[1] < len(sentences(text)):
        hand.step()
    hand.clock.now = 6.0
    hand.pool.answer(hand.queue.expire())
    found = future.result(0)
    assert found.reason is None
    assert values(found, text)["So bad."] == pytest.approx(HIGH, abs=1e-3)
    assert text not in hand.heard


def test_a_context_that_cannot_be_scored_leaves_the_sentence_alone(by_hand) -> None:
    calls = []

    def session(ids: Ids, mask: Ids) -> Output:
        calls.append(ids)
        return softened(ids, mask) * (np.nan if len(calls) > before else 1.0)

    text = "Aa bb cc dd ee. So bad. It is mean here. Then one two three."
    counted = by_hand(softened)
    counted.score(text)
    before = len(counted.batches) - 1
    hand = by_hand(session)
    found = hand.score(text)
    assert values(found, text)["So bad."] == pytest.approx(HIGH, abs=1e-3)
    assert found.reason is None
    assert text not in hand.heard


def test_the_same_text_gets_the_same_assessment_alone_and_in_company(by_hand) -> None:
    texts = ["So bad. It is mean here. Then one.", "One two. So bad. " * 4, "Aa bb cc. " * 8]
    alone = [by_hand(softened).score(text) for text in texts]
    hand = by_hand(softened)
    together = hand.until([hand.submit(text) for text in texts])
    assert [one.passages for one in together] == [one.passages for one in alone]
    assert [one.scores for one in together] == [one.scores for one in alone]


WORDS = st.sampled_from(["aa", "bb. ", "cc ", "bad. ", "mean. ", "dd! ", "e.g. ", "\n", " "])


@given(st.lists(WORDS, max_size=60).map("".join), st.data())
def test_neighbours_are_whole_sentences_around_the_range(text: str, data: st.DataObject) -> None:
    found = sentences(text)
    if not found:
        assert with_neighbours(text, Span(start=0, end=len(text))) == Span(start=0, end=len(text))
        return
    at = data.draw(st.integers(0, len(found) - 1))
    around = with_neighbours(text, found[at])
    first, last = max(0, at - 1), min(len(found) - 1, at + 1)
    assert around == Span(start=found[first].start, end=found[last].end)


@given(st.lists(WORDS, max_size=60).map("".join), st.integers(0, 40), st.data())
def test_neighbours_are_cut_between_words(text: str, most: int, data: st.DataObject) -> None:
    found = sentences(text)
    if not found:
        return
    inner = data.draw(st.sampled_from(found))
    around = with_neighbours(text, inner, most=most)
    assert around.start <= inner.start < inner.end <= around.end
    assert around.end - around.start <= max(most, inner.end - inner.start)
    for cut in (around.start, around.end):
        assert not (text[cut - 1 : cut].isalnum() and text[cut : cut + 1].isalnum())


@pytest.mark.parametrize(
    ("key", "alone", "context", "expected"),
    [
        ("stereotype", 0.9, 0.1, 0.9),
        ("stereotype.gender", 0.6, 0.95, 0.95),
        ("toxicity", HIGH, BESIDE, NEAR),
    ],
)
def test_a_stereotype_counts_alone_as_well_as_in_context(
    key: str, alone: float, context: float, expected: float
) -> None:
    heads = Heads.of([ManifestHead(key=key, scale=1.0, bias=0.0, threshold=0.8, harm=True)])
    assert heads.in_context([alone], [context]) == pytest.approx([expected], abs=1e-3)


ONE_WINDOW, SEVERAL = (
    "So bad. It is mean here.",
    "It is bad. " + "Nine words that are neither this nor that. " * 3,
)


@pytest.mark.parametrize("text", [ONE_WINDOW, SEVERAL, "So bad.", "Fine."])
def test_where_scores_are_all_that_is_wanted_they_are_the_same(by_hand, text: str) -> None:
    full_hand, bare_hand = by_hand(softened), by_hand(softened, only_scores=True)
    full, bare = full_hand.score(text), bare_hand.score(text)
    assert bare.scores == full.scores
    assert bare.reason is None
    assert text in bare_hand.heard


def test_no_sentence_is_read_then_that_no_score_needs(by_hand) -> None:
    hands = [by_hand(softened, only_scores=only) for only in (False, True)]
    assert [bool(hand.score(ONE_WINDOW).passages) for hand in hands] == [True, False]
    windows, sentences, contexts = zip(*(hand.stages() for hand in hands), strict=True)
    assert windows == (1, 1)
    assert sentences[0] > sentences[1] == 0
    for hand in hands:
        hand.score(SEVERAL)
    assert hands[1].stages()[1] > 0
    assert contexts[1] == hands[1].stages()[2] == 0
