"""What is seen of a case before the verdict, and after."""

from __future__ import annotations

import json
from typing import Any

from guard.ports import Store
from guard.records import Span, decode_pair
from guard.review.case_view import PairLook, pair_view, side_order
from guard.review.segments import mark_masks, mark_spans, plain_text
from guard.review.service import ReviewService
from guard.review.views import PairView, ResponseView, SegmentKind, TextSegment
from guard.text.differences import DiffQuality
from tests.unit.review.made import PAIR_BODY, RESPONSE_BODY, body, pair, response

S = SegmentKind
ORDER = ("first", "second")
BLIND = PairLook(attribute="gender", sides=ORDER, blind=True)
OPEN = PairLook(attribute="gender", sides=ORDER, blind=False)
GROUP_WORDS = ("She", "He", "Emma", "female", "male")


def view_of(told: dict[str, Any], look: PairLook) -> PairView:
    found = decode_pair(json.dumps(told))
    assert found is not None
    return pair_view(found, look)


def said(text: tuple[TextSegment, ...] | None) -> str:
    return "".join(segment.text for segment in text or ())


def kinds(text: tuple[TextSegment, ...]) -> list[tuple[str, S]]:
    return [(segment.text, segment.kind) for segment in text]


def test_blind_no_group_word_and_no_origin_is_seen() -> None:
    view = view_of(PAIR_BODY, BLIND)
    shown = repr(view)
    assert [word for word in GROUP_WORDS if word in shown] == []
    assert view.same_group is None
    assert said(view.same_prompt) == "someone is fine."
    assert [side.is_source for side in view.sides] == [None, None]
    assert [side.live for side in view.sides] == [None, None]
    assert [len(side.more) for side in view.sides] == [0, 0]


def test_blind_figures_have_no_sign_and_scores_tell_no_group() -> None:
    view = view_of(PAIR_BODY, BLIND)
    assert view.figures["sentiment_gap"] == 0.45
    assert view.sides[0].scores == {"toxicity": 0.8}


def test_differences_are_of_masked_replies() -> None:
    first, second = view_of(PAIR_BODY, BLIND).sides
    assert kinds(first.reply) == [
        ("someone", S.MASKED),
        (" is ", S.SAME),
        ("awful", S.CHANGED),
        (".", S.SAME),
    ]
    assert said(second.reply) == "someone is great."
    assert [side.label for side in (first, second)] == ["A", "B"]


def test_blind_sentences_are_masked_ones() -> None:
    first, second = view_of(PAIR_BODY, BLIND).sides
    assert first.claims is not None
    assert second.claims is not None
    (contradicted,), (only,) = first.claims.apart, second.claims.apart
    assert kinds(contradicted.text) == [("someone", S.MASKED), (" is awful.", S.SAME)]
    assert (contradicted.contradicted, contradicted.chance) == (True, 0.85)
    assert said(only.text) == "someone is great."
    assert (only.contradicted, only.chance) == (False, 0.7)


def test_afterwards_sentences_are_those_of_the_reply() -> None:
    first, second = view_of(PAIR_BODY, OPEN).sides
    assert [said(one.text) for side in (first, second) for one in side.claims.apart] == [  # type: ignore[union-attr]
        "She is awful.",
        "He is great.",
    ]


def test_sentences_that_the_other_reply_makes_are_counted_only() -> None:
    both = {"span": [0, 13], "masked": [0, 17], "entailed": 0.9}
    claims = {"first": [*PAIR_BODY["claims"]["first"], both], "second": [both]}
    first, second = view_of(PAIR_BODY | {"claims": claims}, OPEN).sides
    assert first.claims is not None
    assert second.claims is not None
    assert (first.claims.sentences, len(first.claims.apart)) == (2, 1)
    assert (second.claims.sentences, second.claims.apart) == (1, ())


def test_where_claims_were_not_compared_there_is_nothing_of_them() -> None:
    plain = {name: one for name, one in PAIR_BODY.items() if name != "claims"}
    assert [side.claims for side in view_of(plain, BLIND).sides] == [None, None]


def test_the_prompt_is_one_conversation_with_masks() -> None:
    turns = view_of(PAIR_BODY, BLIND).turns
    assert [turn.role for turn in turns] == ["system", "user"]
    assert kinds(turns[1].content) == [("someone", S.MASKED), (" is late.", S.SAME)]


def test_afterwards_everything_is_seen() -> None:
    view = view_of(PAIR_BODY, OPEN)
    first, second = view.sides
    assert (first.group, second.group) == ("female", "male")
    assert (first.is_source, first.live, second.is_source) == (True, True, False)
    assert kinds(view.turns[1].content) == [("She", S.REPLACED), (" is late.", S.SAME)]
    assert kinds(second.turns[1].content) == [("He", S.REPLACED), (" is late.", S.SAME)]
    assert [said(more) for more in first.more] == ["She is fine."]
    assert said(view.same_group) == "Emma is fine."
    assert view.figures["sentiment_gap"] == -0.45
    assert first.scores == {"toxicity": 0.9}


def test_a_reply_that_was_never_masked_is_not_shown_while_blind() -> None:
    refused = {"text": "Not for her.", "masked": "", "ending": "refused"}
    told = json.loads(body(replies={"first": [refused], "second": []}, same_prompt="Her."))
    view = view_of(told, BLIND)
    assert said(view.sides[0].reply) == ""
    assert view.sides[0].ending == "refused"
    assert view.same_prompt is None
    assert said(view_of(told, OPEN).sides[0].reply) == "Not for her."


def test_each_reviewer_has_an_order_and_keeps_it(desk: ReviewService, store: Store) -> None:
    store.open(pair(reviewers=40))
    orders = set()
    for number in range(40):
        seen = desk.peek("p1", f"r{number}")
        again = desk.peek("p1", f"r{number}")
        assert seen == again
        assert seen is not None
        assert isinstance(seen.view, PairView)
        orders.add(said(seen.view.sides[0].reply))
    assert orders == {"someone is awful.", "someone is great."}


def test_the_order_hangs_on_the_key() -> None:
    cases = [f"case {number}" for number in range(64)]
    one, two = ([side_order(case, "ann", key) for case in cases] for key in (b"one", b"two"))
    assert one != two


def test_long_texts_are_folded_and_nothing_is_lost() -> None:
    words = [f"w{number}" for number in range(1000)]
    text = " ".join(words)
    view = plain_text(text)
    assert said(view) == text
    assert [one.hidden_words for one in view] == [0, 920, 0]
    marked = mark_spans(text, [(S.OFFENDING, [Span(start=2500, end=2504)])])
    assert said(marked) == text
    assert [one.kind for one in marked] == [
        *(S.SAME, S.FOLDED, S.SAME),
        S.OFFENDING,
        *(S.SAME, S.FOLDED),
    ]


def test_a_single_word_of_a_megabyte_is_folded_too() -> None:
    text = "A" * 1_000_000
    whole = [(S.OFFENDING, [Span(start=0, end=len(text))])]
    for view in (plain_text(text), mark_spans(text, whole)):
        assert said(view) == text
        assert max(len(one.text) for one in view if one.kind is not S.FOLDED) < 50_000


def test_a_reply_shows_what_offends_and_what_was_withheld(
    desk: ReviewService, store: Store
) -> None:
    store.open(response())
    opened = desk.next("ann")
    assert opened is not None
    view = opened.view
    assert isinstance(view, ResponseView)
    assert kinds(view.reply) == [
        ("Fine. ", S.SAME),
        ("You idiot.", S.OFFENDING),
        (" Bye.", S.SAME),
    ]
    assert said(view.released) == "Fine. [removed] Bye."
    assert [head.name for head in view.scores] == [
        *("toxicity", "toxicity.insult", "sentiment", "stereotype")
    ]
    assert (view.scores[0].threshold, view.scores[3].value) == (0.5, None)
    assert (view.action, view.uncovered_characters) == ("redact", 4)


def test_what_was_withheld_without_offending_is_marked_too(
    store: Store, desk: ReviewService
) -> None:
    told = json.dumps(RESPONSE_BODY | {"withheld": [[6, 21]]})
    store.open(response(body=told))
    opened = desk.next("ann")
    assert opened is not None
    assert isinstance(opened.view, ResponseView)
    assert kinds(opened.view.reply)[2] == (" Bye.", S.WITHHELD)


def test_scores_without_texts_are_said_to_be_that(store: Store, desk: ReviewService) -> None:
    told = json.dumps(RESPONSE_BODY | {"reply": "", "text": "", "prompt": ""})
    store.open(response(body=told))
    opened = desk.next("ann")
    assert opened is not None
    assert isinstance(opened.view, ResponseView)
    assert not opened.view.texts_kept
    assert opened.view.reply == ()


def test_nonsense_in_a_body_is_no_error() -> None:
    for name in PAIR_BODY.keys() - {"version"}:
        for value in (None, 7, "text", [], [1, [2]], {"first": 3}, [[{"source": [9, 1]}]]):
            for look in (BLIND, OPEN):
                view = view_of(PAIR_BODY | {name: value}, look)
                assert view.differences is DiffQuality.WORDS


def test_people_are_shown_by_their_numbers() -> None:
    shown = mark_masks("Person_1 met Person_12 and someone.")
    assert kinds(shown) == [
        ("Person 1", S.MASKED),
        (" met ", S.SAME),
        ("Person 12", S.MASKED),
        (" and ", S.SAME),
        ("someone", S.MASKED),
        (".", S.SAME),
    ]
