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
TESTED = [metric for metric in CATALOGUE.metrics if metric.tested is not None]


def observed(
    metric: LiveMetric, first: Sequence[MeasuredReply], second: Sequence[MeasuredReply]
) -> float | None:
    pair = Comparison(
        call_id="c1",
        attribute="gender",
        first="female",
        second="male",
        source="female",
        first_replies=tuple(first),
        second_replies=tuple(second),
    )
    assert metric.tested is not None
    return metric.tested(metric.observe(pair))


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
def test_swapping_the_sides_turns_the_sign_of_all_but_the_contrasts(
    metric: LiveMetric, replies: list[MeasuredReply], at: int
) -> None:
    """A contrast says that groups differ and not which way: it stays as it is."""
    first, second = replies[:at], replies[at:]
    value, turned = observed(metric, first, second), observed(metric, second, first)
    if value is None or turned is None:
        assert value is turned
    else:
        sign = -1.0 if metric.directed else 1.0
        assert value == pytest.approx(sign * turned, abs=1e-12)
