"""What several readings of one text come to, worked by hand."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace

from guard.records import Assessment, Head, Passage, Score, Span, Unscored
from guard.scoring.joined import answer_of, worst_of_readings
from guard.text import TextReading

HEADS = {
    "toxicity": Head(key="toxicity", threshold=0.5, harm=True),
    "sentiment": Head(key="sentiment", threshold=None, harm=False),
}
WHOLE, FIRST = Span(start=0, end=10), Span(start=0, end=4)
PLAIN = TextReading(text="abc. efghi")
TURNED = TextReading(text="ihgfe .cba", turned=(Span(start=0, end=10),))


def scored(toxicity: float, sentiment: float) -> Assessment:
    values = {"toxicity": toxicity, "sentiment": sentiment}
    scores = {key: Score(value=value, span=FIRST) for key, value in values.items()}
    passage = Passage(span=FIRST, values={"toxicity": toxicity})
    return Assessment(scores=scores, passages=(passage,))


def unscored(reason: Unscored) -> Assessment:
    nothing = Score(value=None, reason=reason)
    return Assessment(scores=dict.fromkeys(HEADS, nothing), uncovered=(WHOLE,), reason=reason)


def test_the_worst_of_each_harm_counts_and_the_first_of_what_is_none() -> None:
    found = worst_of_readings(HEADS, [PLAIN, PLAIN], [scored(0.2, 0.4), scored(0.9, 0.1)])
    assert (found.value("toxicity"), found.value("sentiment")) == (0.9, 0.4)
    assert found.passages == (Passage(span=FIRST, values={"toxicity": 0.9}),)
    assert found.reason is None


def test_ranges_of_a_turned_paragraph_are_all_of_it() -> None:
    found = worst_of_readings(HEADS, [PLAIN, TURNED], [scored(0.2, 0.4), scored(0.9, 0.1)])
    assert found.scores["toxicity"].span == WHOLE
    assert [one.span for one in found.passages] == [FIRST, WHOLE]


def test_a_reading_that_shows_nothing_does_not_count() -> None:
    found = worst_of_readings(HEADS, [PLAIN, PLAIN], [unscored(Unscored.EMPTY), scored(0.9, 0.1)])
    assert (found.reason, found.value("toxicity"), found.uncovered) == (None, 0.9, ())


def test_an_excerpt_that_cannot_be_read_says_nothing_of_the_text() -> None:
    part = TextReading(text=PLAIN.text, excerpt=True)
    foreign = replace(scored(0.9, 0.1), reason=Unscored.LANGUAGE)
    for found in (unscored(Unscored.UNREADABLE), foreign, unscored(Unscored.EMPTY)):
        whole = worst_of_readings(HEADS, [PLAIN, part], [scored(0.2, 0.4), found])
        assert (whole.value("toxicity"), whole.reason, whole.uncovered) == (0.2, None, ())
    late = worst_of_readings(HEADS, [PLAIN, part], [scored(0.2, 0.4), unscored(Unscored.DEADLINE)])
    assert late.reason is Unscored.DEADLINE
    told = worst_of_readings(HEADS, [PLAIN, part], [scored(0.2, 0.4), scored(0.9, 0.1)])
    assert told.value("toxicity") == 0.9


def test_of_an_excerpt_in_another_language_the_passages_that_could_be_read_count() -> None:
    part = TextReading(text=PLAIN.text, excerpt=True)
    english = Passage(span=WHOLE, values={"toxicity": 0.9})
    for reason in (Unscored.LANGUAGE, Unscored.UNREADABLE):
        foreign = replace(unscored(reason), passages=(english,))
        whole = worst_of_readings(HEADS, [PLAIN, part], [scored(0.2, 0.4), foreign])
        assert english in whole.passages
        assert (whole.value("toxicity"), whole.reason, whole.uncovered) == (0.2, None, ())


def test_one_without_a_score_is_named_beside_the_scores_of_others() -> None:
    found = worst_of_readings(
        HEADS, [PLAIN, PLAIN], [scored(0.9, 0.1), unscored(Unscored.DEADLINE)]
    )
    assert (found.reason, found.value("toxicity")) == (Unscored.DEADLINE, 0.9)
    assert found.uncovered == (WHOLE,)
    none = worst_of_readings(HEADS, [PLAIN], [unscored(Unscored.LANGUAGE)])
    assert none.scores["toxicity"].reason is none.reason is Unscored.LANGUAGE


def test_cancelling_the_answer_cancels_what_it_is_of() -> None:
    parts: list[Future[Assessment]] = [Future(), Future()]
    answer_of(parts, lambda found: found[0]).cancel()
    assert all(part.cancelled() for part in parts)
