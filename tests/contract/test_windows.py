"""Sums: they add, in any order, and expire by whole buckets."""

from __future__ import annotations

import random
from collections.abc import Callable
from math import fsum, inf, nan

import pytest

from guard.errors import SettingsError
from guard.ports import Store
from guard.records import Batch, Position, Posting
from tests.contract.backends import Places, durable_only
from tests.contract.clock import START
from tests.contract.made import BUCKET, NEARBY, job, leased, posting

CHAT = "support-chat"


def test_a_new_store_has_no_sums(store: Store) -> None:
    assert store.bucket_seconds == 60.0
    assert store.total(CHAT, NEARBY) == {}
    assert store.series(CHAT, NEARBY) == {}
    assert store.evidence(CHAT, ["e1"]) == {"e1": {}}
    assert store.evidence(CHAT, []) == {}
    assert store.use_cases() == []
    assert store.expire(before_bucket=10**9) == 0


def test_sums_add(store: Store) -> None:
    store.add([posting(n=1.0, x=-0.5), posting(n=2.0)])
    store.add([posting(n=4.0, y=0.125)])
    assert store.total(CHAT, NEARBY) == {"n": 7.0, "x": -0.5, "y": 0.125}


def test_sums_add_in_any_order(opened: Callable[..., Store]) -> None:
    draw = random.Random(5)
    values = [draw.uniform(-1, 1) * 10 ** draw.randint(-6, 6) for _ in range(300)]
    for _ in range(3):
        draw.shuffle(values)
        store = opened()
        store.add([posting(START + 60 * (n % 7), x=value) for n, value in enumerate(values)])
        total = store.total(CHAT, NEARBY)["x"]
        assert total == pytest.approx(fsum(values), rel=1e-9, abs=1e-9)


def test_a_sum_keeps_its_digits(store: Store) -> None:
    store.add([posting(x=0.1), posting(x=0.2), posting(big=2.0**53 - 1), posting(small=5e-324)])
    total = store.total(CHAT, NEARBY)
    assert total["x"] == pytest.approx(0.3, rel=1e-15)
    assert total["big"] == 2.0**53 - 1
    assert abs(total["small"]) < 1e-300


def test_a_time_falls_into_the_bucket_at_or_before_it(opened: Callable[..., Store]) -> None:
    store = opened(bucket_seconds=10.0)
    assert store.bucket_seconds == 10.0
    store.add([posting(at, x=at) for at in (0.0, 9.999, 10.0, 19.0, 20.0)])
    assert store.series(CHAT, range(-1, 5)) == {
        0: {"x": 9.999},
        1: {"x": 29.0},
        2: {"x": 20.0},
    }


def test_a_range_of_buckets_ends_before_its_end(store: Store) -> None:
    store.add([posting(START + 60 * n, n=10.0**n) for n in range(4)])
    assert store.total(CHAT, range(BUCKET + 1, BUCKET + 3)) == {"n": 110.0}
    assert list(store.series(CHAT, range(BUCKET + 1, BUCKET + 3))) == [BUCKET + 1, BUCKET + 2]
    assert store.total(CHAT, range(BUCKET, BUCKET)) == {}
    assert store.series(CHAT, range(BUCKET + 9, BUCKET + 20)) == {}


def test_use_cases_are_apart(store: Store) -> None:
    store.add([posting(use_case="b", n=1.0), posting(use_case="a", n=2.0)])
    assert store.use_cases() == ["a", "b"]
    assert store.total("a", NEARBY) == {"n": 2.0}
    assert store.series("b", NEARBY) == {BUCKET: {"n": 1.0}}
    assert store.total("c", NEARBY) == {}


def test_keys_and_use_cases_may_hold_any_text(store: Store) -> None:
    strange = 'gender|{"a":1}|: %s \x00 ü \U0001f600 \' " \\'
    store.add([Posting(use_case=strange, at_seconds=START, sums={strange: 1.5, "": 2.0})])
    assert store.use_cases() == [strange]
    assert store.total(strange, NEARBY) == {strange: 1.5, "": 2.0}


def test_a_posting_without_sums_leaves_nothing(store: Store) -> None:
    store.add([Posting(use_case=CHAT, at_seconds=START, evidence={"e1": {}})])
    store.add([])
    assert store.use_cases() == []
    assert store.series(CHAT, NEARBY) == {}


def test_whole_buckets_expire(store: Store) -> None:
    store.add([posting(START + 60 * n, n=1.0, x=2.0) for n in range(5)])
    store.add([posting(START, "other", n=1.0)])
    assert store.expire(before_bucket=BUCKET + 2) == 3
    assert store.expire(before_bucket=BUCKET + 2) == 0
    assert list(store.series(CHAT, NEARBY)) == [BUCKET + 2, BUCKET + 3, BUCKET + 4]
    assert store.total(CHAT, NEARBY) == {"n": 3.0, "x": 6.0}
    assert store.use_cases() == [CHAT]


def test_evidence_does_not_expire(store: Store) -> None:
    epochs = {"e1": {"log": 0.5, "n": 1.0}, "e2": {"n": 3.0}}
    store.add([Posting(use_case=CHAT, at_seconds=START, sums={"n": 1.0}, evidence=epochs)] * 2)
    store.expire(before_bucket=10**9)
    assert store.series(CHAT, NEARBY) == {}
    assert store.evidence(CHAT, ["e1", "e3"]) == {"e1": {"log": 1.0, "n": 2.0}, "e3": {}}
    assert store.evidence("other", ["e1"]) == {"e1": {}}
    assert store.use_cases() == [CHAT]


def test_a_bucket_that_expired_can_be_added_to(store: Store) -> None:
    store.add([posting(n=1.0)])
    store.expire(before_bucket=BUCKET + 1)
    store.add([posting(n=2.0)])
    assert store.total(CHAT, NEARBY) == {"n": 2.0}
    assert store.expire(before_bucket=BUCKET + 1) == 1


@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_a_sum_that_is_not_finite_is_refused(store: Store, value: float) -> None:
    broken = [posting(n=1.0), posting(n=value)]
    store.offer(job())
    [lease] = leased(store)
    late = Posting(use_case=CHAT, at_seconds=START, evidence={"e1": {"x": value}})
    for refused in (
        lambda: store.add(broken),
        lambda: store.add([posting(value, n=1.0)]),
        lambda: store.finish(lease, postings=[late]),
        lambda: store.accept(Batch(postings=(late,)), Position(spool="s", end=1)),
    ):
        with pytest.raises(ValueError, match=str(value)):
            refused()
    assert store.use_cases() == []
    assert store.position("s") == 0
    assert store.finish(lease)


@durable_only
def test_the_width_of_buckets_is_kept(opened: Callable[..., Store], places: Places) -> None:
    place = places()
    opened(place, bucket_seconds=60.0)
    with pytest.raises(SettingsError, match=r"(?s)store\.bucket_seconds.*60"):
        opened(place, bucket_seconds=30.0)
