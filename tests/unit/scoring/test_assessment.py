"""What an assessment says, worked by hand."""

from __future__ import annotations

import pytest

from guard.records import Span, Unscored

PLAIN = "one two three"


def span(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start=start, end=start + len(part))


def test_a_harmless_text_has_scores_and_no_passages(hand) -> None:
    found = hand.score(PLAIN)
    assert found.reason is None
    assert found.uncovered == ()
    assert found.passages == ()
    assert found.scores["toxicity"].value == pytest.approx(0.018, abs=1e-3)
    assert found.scores["toxicity"].span == Span(start=0, end=len(PLAIN))
    assert len(hand.batches) == 1


def test_a_single_sentence_takes_the_values_of_its_window(hand) -> None:
    found = hand.score("  this is bad ")
    assert [one.span for one in found.passages] == [Span(start=2, end=13)]
    assert found.passages[0].values["toxicity"] == found.value("toxicity")
    assert len(hand.batches) == 1


def test_sentences_near_the_threshold_are_scored_alone(hand) -> None:
    text = "All fine here. That is mean! And so on."
    found = hand.score(text)
    assert [text[one.span.start : one.span.end] for one in found.passages] == [
        "All fine here.",
        "That is mean!",
        "And so on.",
    ]
    harms = [one.values["toxicity"] for one in found.passages]
    assert harms == pytest.approx([0.018, 0.622, 0.018], abs=1e-3)


def test_only_sentences_of_the_windows_concerned_are_scored_again(hand) -> None:
    text = "aa bb cc dd. " * 6 + "it is bad. " + "ee ff gg hh. " * 6
    found = hand.score(text)
    assert found.value("toxicity") > 0.9
    worst = max(found.passages, key=lambda one: one.values["toxicity"])
    assert text[worst.span.start : worst.span.end] == "it is bad."
    assert len(found.passages) < 8


def test_the_score_of_a_long_text_is_its_worst_window(hand) -> None:
    text = "word " * 40 + "bad " + "word " * 40
    found = hand.score(text)
    where = found.scores["toxicity"].span
    assert "bad" in text[where.start : where.end]
    assert len(text[where.start : where.end].split()) == 8
    assert found.uncovered == ()


def test_sentiment_is_a_mean_weighted_by_tokens(hand) -> None:
    found = hand.score("word " * 8)
    assert found.value("sentiment") == pytest.approx(1 / (1 + 2.718281828**0.8))
    long = hand.score("word " * 9)
    last = 1 / (1 + 2.718281828**0.3)
    assert long.value("sentiment") == pytest.approx((8 * found.value("sentiment") + 3 * last) / 11)
    assert long.scores["sentiment"].span == Span(start=0, end=45)


def test_a_text_without_a_token_is_empty(hand, vocabulary) -> None:
    request = hand.request("\u200b")
    request.source = iter(())
    assert hand.queue.admit(request) is None
    found = hand.until([request.future])[0]
    assert found.reason is Unscored.EMPTY
    assert found.scores["toxicity"].value is None
    assert found.scores["toxicity"].reason is Unscored.EMPTY


def test_what_is_not_a_number_is_an_engine_error(hand) -> None:
    found = hand.score("this is nan")
    assert found.reason is Unscored.ENGINE_ERROR
    assert found.value("toxicity") is None
    assert found.uncovered == (Span(start=0, end=11),)


def test_one_broken_window_leaves_the_others(hand) -> None:
    text = "word " * 20 + "nan " + "word " * 20
    found = hand.score(text)
    assert found.reason is Unscored.ENGINE_ERROR
    assert found.value("toxicity") == pytest.approx(0.018, abs=1e-3)
    assert len(found.uncovered) == 1
    hole = found.uncovered[0]
    assert "nan" in text[hole.start : hole.end]


def test_a_sentence_that_cannot_be_scored_leaves_its_window_in_its_place(by_hand) -> None:
    calls = []

    def session(ids, mask):
        from numpy import full, nan

        calls.append(ids)
        return full((len(ids), 2), 3.0 if len(calls) == 1 else nan, dtype="float32")

    hand = by_hand(session)
    text = "It is bad. It is fine."
    found = hand.score(text)
    assert found.reason is None
    assert [one.span for one in found.passages] == [Span(start=0, end=len(text))]
    assert text not in hand.heard


def test_complete_assessments_are_heard_of(hand) -> None:
    found = hand.score(PLAIN)
    assert hand.heard == {PLAIN: found}


def test_times_are_told(hand) -> None:
    future = hand.submit(PLAIN)
    hand.clock.now = 2.0
    hand.step()
    task = hand.queue.next_task()
    hand.clock.now = 5.0
    hand.pool.perform(task)
    found = future.result(0)
    assert (found.queued_seconds, found.scoring_seconds) == (2.0, 3.0)


def test_a_text_that_cannot_be_tokenized_is_answered(hand) -> None:
    request = hand.request("text")
    request.source = (1 / 0 for _ in range(1))
    assert hand.queue.admit(request) is None
    assert hand.until([request.future])[0].reason is Unscored.ENGINE_ERROR


def test_an_assessment_that_cannot_be_made_is_still_an_answer(hand, monkeypatch) -> None:
    request = hand.request(PLAIN)
    assert hand.queue.admit(request) is None
    monkeypatch.setattr(request.builder, "assessment", lambda *_, **__: 1 / 0)
    found = hand.until([request.future])[0]
    assert found.reason is Unscored.ENGINE_ERROR
