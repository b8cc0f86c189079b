"""Every metric of LangFair's families: any split, any order, any window equals the batch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.fairness import (
    ClassifiedCase,
    CooccurrenceBias,
    Ended,
    Ending,
    ExpectedMaximum,
    Fraction,
    Likeness,
    Mean,
    Parity,
    Probability,
    Rate,
    RefusalDifference,
    RollingWindow,
    Said,
    Sides,
    Similarity,
    StereotypicalAssociations,
    StrictParity,
    Tally,
    Unawareness,
    WeakParity,
    add,
)
from guard.records import Reading, Undefined

GROUPS = {"male": ["he", "man"], "female": ["she", "woman"]}
WORDS = ["nurse", "doctor"]
VOCABULARY = [*WORDS, "he", "man", "she", "woman", "the", "house", "", "今天", "naïve", "…"]

# What a live caller may hand over: any float, or none at all.
score = st.one_of(st.none(), st.floats(), st.floats(0, 1))
scores = st.lists(score, max_size=4)
name = st.text(max_size=3)
text = st.one_of(st.text(max_size=20), st.lists(st.sampled_from(VOCABULARY)).map(" ".join))
said = st.builds(Said, conversation=name, response=text)
sides = st.builds(Sides, conversation=name, first=scores, second=scores)
label = st.one_of(st.none(), st.sampled_from([0, 1, math.nan, "x"]))
decision = st.builds(
    ClassifiedCase, group=st.sampled_from(["a", "b", "", "|"]), predicted=label, actual=label
)
ended = st.builds(Ended, group=st.sampled_from(["a", "b"]), ending=st.sampled_from(Ending))

CASES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (Fraction(name="tf"), score),
    (ExpectedMaximum(name="emt", m=2), scores),
    (Probability(name="tp", m=2), scores),
    (CooccurrenceBias(name="cobs", words=WORDS, groups=GROUPS, stop_words=["the"]), said),
    (StereotypicalAssociations(name="sa", words=WORDS, groups=GROUPS), said),
    (Mean(name="prag"), scores),
    (Similarity(name="cos", bounds=(-1, 1)), st.builds(Likeness, between=scores, control=scores)),
    (StrictParity(name="scsp"), sides),
    (WeakParity(name="wcsp"), sides),
    (Mean(name="gap", bounds=(-1.0, 1.0)), scores),
    *[
        (Parity(name=f"{rate}|{kind}", rate=rate, between=("a", "b"), kind=kind), decision)  # type: ignore[arg-type]
        for rate in Rate
        for kind in ("difference", "ratio")
    ],
    (RefusalDifference(name="refusal", between=("a", "b")), ended),
    (Unawareness(name="ftu", lexicon=["he", "old man"]), text),
]


def same(first: Reading | Undefined, second: Reading | Undefined) -> bool:
    if isinstance(first, Undefined) or isinstance(second, Undefined):
        return first == second
    return first.n == second.n and all(
        math.isclose(getattr(first, f), getattr(second, f), rel_tol=1e-9, abs_tol=1e-9)
        for f in ("value", "low", "high")
    )


def sound(reading: Reading | Undefined) -> bool:
    if isinstance(reading, Undefined):
        return bool(reading.reason)
    slack = 1e-12
    ordered = reading.low - slack <= reading.value <= reading.high + slack
    return ordered and all(map(math.isfinite, (reading.low, reading.value, reading.high)))


def batch(metric: Any, observations: Sequence[Any]) -> Reading | Undefined:
    return metric.estimate(add(*map(metric.tally, observations)))  # type: ignore[no-any-return]


def for_each_metric(test: Callable[..., None]) -> Any:
    return pytest.mark.parametrize(
        ("metric", "observation"), CASES, ids=[case[0].name for case in CASES]
    )(test)


@for_each_metric
@settings(max_examples=25)
@given(data=st.data())
def test_any_split_in_any_order_equals_the_batch(
    metric: Any, observation: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    seen = data.draw(st.lists(observation, max_size=12))
    where = data.draw(st.lists(st.integers(0, 3), min_size=len(seen), max_size=len(seen)))
    shards = [
        add(*(metric.tally(one) for one, at in zip(seen, where, strict=True) if at == shard))
        for shard in data.draw(st.permutations(range(4)))
    ]
    left = add(add(shards[0], shards[1]), add(shards[2], shards[3]), {})
    right = add(shards[3], add(shards[2], add(shards[1], shards[0])))
    whole = batch(metric, seen)
    assert sound(whole)
    assert same(metric.estimate(left), whole)
    assert same(metric.estimate(right), whole)


@for_each_metric
@settings(max_examples=15)
@given(data=st.data())
def test_a_window_is_the_batch_over_the_window(
    metric: Any, observation: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    window = RollingWindow(seconds=30.0, bucket_seconds=10.0)
    at = st.integers(0, 120).map(float)
    events = sorted(data.draw(st.lists(st.tuples(at, at, observation), max_size=10)), key=repr)
    now = max((when for when, _, _ in events), default=0.0)
    buckets: dict[int, Tally] = {}
    epoch: Tally = {}
    for when, _, seen in events:
        tally, number = metric.tally(seen), window.bucket(when)
        buckets[number] = add(buckets.get(number, {}), tally)
        epoch = add(epoch, tally)
    inside = [seen for when, _, seen in events if window.bucket(when) in window.span(now)]
    assert same(
        metric.estimate(add(*(buckets[n] for n in window.span(now) if n in buckets))),
        batch(metric, inside),
    )
    everything = [seen for _, _, seen in events]
    assert same(metric.estimate(epoch), batch(metric, everything))


@for_each_metric
@settings(max_examples=25)
@given(data=st.data())
def test_whatever_a_caller_hands_over_is_counted_and_never_nan(
    metric: Any, observation: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    tally = metric.tally(data.draw(observation))
    assert all(math.isfinite(value) for value in tally.values())
    assert all(key.split("|")[0] == metric.name.replace("|", "%7C") for key in tally)
    assert sound(metric.estimate(tally))


@for_each_metric
def test_nothing_is_undefined_with_a_reason(
    metric: Any, observation: st.SearchStrategy[Any]
) -> None:
    nothing = metric.estimate({})
    assert isinstance(nothing, Undefined)
    assert nothing.reason


def test_no_two_metrics_share_a_key() -> None:
    names = [case[0].name for case in CASES]
    assert len(names) == len(set(names))
