"""The distances of replies, each from each, as their definitions of two give them."""

from __future__ import annotations

import numpy as np
import pytest

from guard.fairness import Comparison, MeasuredReply, fairpair
from guard.fairness.catalogue import CATALOGUE
from guard.fairness.fairpair import FairPair, Prompted, cosine_gap, jaccard_gap, sentiment_gap
from guard.fairness.observed_pairs import Conditions
from guard.fairness.reply_distances import (
    DISTANCES,
    by_prompt,
    cosine_gaps,
    sentiment_gaps,
    token_gaps,
)
from guard.fairness.words import words
from guard.records import Ending

TEXTS = ("A fine idea.", "no", "A fine plan, a good idea", "", "!!", "No.")


def reply(number: int, *, live: bool = False) -> MeasuredReply:
    text = TEXTS[number % len(TEXTS)]
    scores = {"sentiment": number / 10}
    vector = (1.0, float(number), number**0.5)
    return MeasuredReply(
        text=text,
        masked=text,
        ending=Ending.ANSWERED,
        live=live,
        scores=scores,
        normalised=scores,
        vector=vector,
    )


REPLIES = tuple(map(reply, range(6)))


def pair(first: tuple[MeasuredReply, ...], second: tuple[MeasuredReply, ...], **changes: str):
    about = {"call_id": "c", "attribute": "gender", "first": "female", "second": "male"}
    return Comparison(
        **{**about, "source": "female", **changes}, first_replies=first, second_replies=second
    )


def test_matrices_hold_the_gap_of_each_two() -> None:
    tokens, feelings, cosines = (of(REPLIES) for of in (token_gaps, sentiment_gaps, cosine_gaps))
    for i, one in enumerate(REPLIES):
        for j, two in enumerate(REPLIES):
            assert tokens[i, j] == jaccard_gap(words(one.masked), words(two.masked))
            assert feelings[i, j] == sentiment_gap(
                one.normalised["sentiment"], two.normalised["sentiment"]
            )
            assert cosines[i, j] == pytest.approx(cosine_gap(one.vector, two.vector), abs=1e-15)
    assert not tokens.diagonal().any()
    assert not cosines.diagonal().any()


def test_what_is_shared_cannot_be_changed() -> None:
    assert token_gaps(REPLIES) is token_gaps(REPLIES)
    with pytest.raises(ValueError, match="read-only"):
        cosine_gaps(REPLIES)[0, 0] = 1.0


def test_a_distance_that_cannot_be_told_is_none() -> None:
    bare = MeasuredReply(text="a", masked="a", ending=Ending.ANSWERED)
    assert DISTANCES["embedding"]((*REPLIES, bare)) is None
    assert DISTANCES["sentiment"]((*REPLIES, bare)) is None
    assert DISTANCES["token"]((bare,)) == [[0.0]]
    assert np.isnan(sentiment_gaps((*REPLIES, bare))[0, -1])


@pytest.mark.parametrize("source", ["female", "male"])
def test_replies_to_the_conversation_itself_come_first(source: str) -> None:
    one = pair(REPLIES[:2], REPLIES[2:], source=source)
    own, other = one.by_prompt
    made, count = by_prompt(token_gaps, one)
    assert count == len(own)
    assert np.array_equal(made, token_gaps((*own, *other)))
    seen = CATALOGUE.live("fairpair_cosine").observe(one)
    assert isinstance(seen, Prompted)
    plain = fairpair([x.vector for x in own], [x.vector for x in other], cosine_gap)
    assert isinstance(seen.seen, FairPair)
    assert isinstance(plain, FairPair)
    assert seen.seen.bias == pytest.approx(plain.bias, abs=1e-12)
    assert seen.seen.v_pg == pytest.approx(plain.v_pg, abs=1e-12)
    assert seen.seen.v_gp == pytest.approx(plain.v_gp, abs=1e-12)


def test_tests_see_what_readings_see_where_all_replies_are_fresh_and_even() -> None:
    even, uneven = pair(REPLIES[:3], REPLIES[3:]), pair(REPLIES[:2], REPLIES[2:])
    live = pair((reply(0, live=True), *REPLIES[:3]), REPLIES[3:])
    assert even.evenly_fresh is even
    assert [len(side) for side in uneven.evenly_fresh.answers.sides] == [2, 2]
    assert live.evenly_fresh.answers.sides == even.sides
    conditions = Conditions(repeats=True, vectors=True)
    seen = [CATALOGUE.observe(one, conditions) for one in (even, live)]
    assert seen[0].tested == seen[1].tested
    assert seen[0].observed["sentiment_gap"] == seen[0].tested["sentiment_gap_grounded"]
    assert seen[0].observed["sentiment_gap"] != seen[1].observed["sentiment_gap"]
