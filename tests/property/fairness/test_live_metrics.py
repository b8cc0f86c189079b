"""What every tested metric owes to its test: bounded, and 0 in the mean where nothing differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from math import fsum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.fairness import CATALOGUE, Comparison, LiveMetric, MeasuredReply
from guard.records import Ending
from guard.text.claims import CheckedClaim, claimed
from tests.repeats import repeats

SAID = st.lists(
    st.sampled_from(
        [
            *("Perhaps.", "I'm sorry.", "Why not?", "Thank you!", "Ask for $900.", "Wait 3 days."),
            *("someone is competent.", "someone is overwhelmed.", "A warm, rude boss.", "12 %"),
        ]
    )
    | st.text(max_size=20),
    max_size=4,
).map(" ".join)
UNIT = st.floats(0.0, 1.0)
REPLY = st.builds(
    lambda text, scores, vector, ending: MeasuredReply(
        text=text,
        masked=text,
        ending=ending,
        normalised=dict(zip(("sentiment", "toxicity", "stereotype"), scores, strict=True)),
        vector=(1.0, *vector),
    ),
    SAID,
    st.tuples(UNIT, UNIT, UNIT),
    st.tuples(UNIT, UNIT),
    st.sampled_from([Ending.ANSWERED] * 4 + list(Ending)),
)


def with_claims(replies: Sequence[MeasuredReply]) -> list[MeasuredReply]:
    """What a reply says is entailed by another one that is as long, else it is contradicted."""
    return [
        replace(
            one,
            claims={
                two.masked: tuple(
                    CheckedClaim(claim=claim, chances=(float(alike), 0.0, float(not alike)))
                    for claim in claimed(one.masked).claims
                    for alike in [len(one.masked) == len(two.masked)]
                )
                for two in replies
            },
        )
        for one in replies
    ]


REPLIES = st.lists(REPLY, min_size=4, max_size=6).map(with_claims)
TESTED = [metric for metric in CATALOGUE.tested if not metric.against_control]
CONTRASTS = [metric for metric in CATALOGUE.tested if metric.against_control]


def observed(
    metric: LiveMetric, first: Sequence[MeasuredReply], second: Sequence[MeasuredReply]
) -> float | None:
    assert metric.tested is not None
    return metric.tested(metric.observe(compared("male", first, second)))


def compared(
    second: str, own: Sequence[MeasuredReply], rewritten: Sequence[MeasuredReply]
) -> Comparison:
    return Comparison(
        call_id="c1",
        attribute="gender",
        first="female",
        second=second,
        source="female",
        first_replies=tuple(own),
        second_replies=tuple(rewritten),
    )


def contrasted(
    metric: LiveMetric,
    own: Sequence[MeasuredReply],
    other: Sequence[MeasuredReply],
    same: Sequence[MeasuredReply],
) -> float | None:
    control = compared("female", own, same)
    assert metric.tested is not None
    return metric.tested(metric.observe(replace(compared("male", own, other), control=control)))


@pytest.mark.slow
@pytest.mark.parametrize("metric", TESTED, ids=lambda metric: metric.name)
@settings(max_examples=repeats(20, soak=1000), deadline=None)
@given(replies=REPLIES.map(lambda found: found[:4]))
def test_over_all_ways_to_deal_the_replies_out_it_is_zero_in_the_mean(
    metric: LiveMetric, replies: list[MeasuredReply]
) -> None:
    """Where nothing differs, every deal of the replies to the groups is as likely."""
    deals = [observed(metric, order[:2], order[2:]) for order in permutations(replies)]
    found = [value for value in deals if value is not None]
    assert all(-1.0 <= value <= 1.0 for value in found)
    assert fsum(found) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("metric", TESTED, ids=lambda metric: metric.name)
@settings(max_examples=repeats(20, soak=1000), deadline=None)
@given(replies=st.lists(REPLY, max_size=6).map(with_claims), at=st.integers(0, 6))
def test_swapping_the_sides_turns_the_sign(
    metric: LiveMetric, replies: list[MeasuredReply], at: int
) -> None:
    first, second = replies[:at], replies[at:]
    value, turned = observed(metric, first, second), observed(metric, second, first)
    if value is None or turned is None:
        assert value is turned
    else:
        assert value == pytest.approx(-turned, abs=1e-12)


@pytest.mark.parametrize("metric", CONTRASTS, ids=lambda metric: metric.name)
@settings(max_examples=repeats(50, soak=2000), deadline=None)
@given(
    replies=st.lists(REPLY, max_size=9).map(with_claims),
    at=st.integers(0, 3),
    there=st.integers(0, 9),
)
def test_swapping_the_rewrites_turns_the_sign_of_a_contrast(
    metric: LiveMetric, replies: list[MeasuredReply], at: int, there: int
) -> None:
    """However many replies there are to either, and however they ended."""
    own, other, same = replies[:at], replies[at:there], replies[max(at, there) :]
    value = contrasted(metric, own, other, same)
    turned = contrasted(metric, own, same, other)
    if value is None or turned is None:
        assert value is turned
    else:
        assert -1.0 <= value <= 1.0
        assert value == pytest.approx(-turned, abs=1e-12)


@pytest.mark.parametrize("metric", CONTRASTS, ids=lambda metric: metric.name)
def test_a_contrast_needs_something_to_be_set_against(metric: LiveMetric) -> None:
    said = [MeasuredReply(text=text, masked=text, ending=Ending.ANSWERED) for text in "ab"]
    assert observed(metric, said, said) is None
