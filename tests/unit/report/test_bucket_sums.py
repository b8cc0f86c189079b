from random import Random

import pytest

from guard.errors import StoreError
from guard.fairness import RollingWindow, add
from guard.report import BucketSums

WINDOWS = {
    "5m": RollingWindow(seconds=300.0),
    "1h": RollingWindow(seconds=3600.0),
    "24h": RollingWindow(seconds=86400.0),
}


def spans(now):
    return {name: window.span(now) for name, window in WINDOWS.items()}


def expected(store, now):
    kept = store.buckets.get("chat", {})
    return {
        name: add(*(kept[number] for number in span if number in kept))
        for name, span in spans(now).items()
    }


@pytest.mark.parametrize("chunk", [1, 7, 10, 60])
def test_totals_are_the_sums_over_the_buckets_whatever_the_minute(store, chunk):
    random, looked = Random(3), BucketSums(store, "chat", chunk=chunk)
    for number in range(3000):
        if random.random() < 0.3:
            store.post("chat", number, {f"k{number % 5}": float(number)})
    for minute in (0, 1, 59, 1440, 1441, 1449, 1450, 1475, 2999, 4000):
        now = minute * 60.0 + 30
        assert looked.totals(spans(now)) == expected(store, now)


def test_a_second_look_reads_the_latest_buckets_and_little_else(store):
    for number in range(5000, 6500):
        store.post("chat", number, {"k": 1.0})
    looked, now = BucketSums(store, "chat", reread=4), 6499 * 60.0
    looked.totals(spans(now))
    store.calls.clear()
    store.read.clear()
    looked.totals(spans(now + 15))
    assert store.calls["series"] == 1
    assert store.read["series"] <= 16
    assert store.calls["total"] <= 4
    assert store.read["total"] <= 40


def test_what_is_added_to_the_last_minutes_is_seen_at_once(store):
    looked, now = BucketSums(store, "chat"), 9000 * 60.0
    looked.totals(spans(now))
    for number in range(8995, 9001):
        store.post("chat", number, {"k": 1.0})
        assert looked.totals(spans(now)) == expected(store, now)


def test_what_arrives_hours_late_is_seen_after_some_looks(store):
    looked, now = BucketSums(store, "chat", reread=4), 9000 * 60.0
    looked.totals(spans(now))
    store.post("chat", 8000, {"k": 1.0})
    for _ in range(2 * (1440 // 10) // 4):
        found = looked.totals(spans(now))
    assert found["24h"] == {"k": 1.0}


def test_nothing_is_remembered_of_what_no_window_reaches(store):
    store.post("chat", 10, {"k": 1.0})
    looked = BucketSums(store, "chat")
    assert looked.totals(spans(600.0))["24h"] == {"k": 1.0}
    assert looked.totals(spans(600.0 + 86400.0))["24h"] == {"k": 1.0}
    assert looked.totals(spans(660.0 + 86400.0))["24h"] == {}
    assert len(looked._remembered) <= 150


def test_what_was_read_before_the_store_went_away_is_not_read_again(store):
    looked, now = BucketSums(store, "chat", reread=0), 9000 * 60.0
    looked.totals(spans(now))
    store.away = True
    with pytest.raises(StoreError):
        looked.totals(spans(now))
    store.away = False
    store.calls.clear()
    looked.totals(spans(now))
    assert store.calls == {"series": 1}


def test_a_store_that_goes_away_while_it_is_read_leaves_no_old_sums_behind(store):
    looked, now = BucketSums(store, "chat", reread=4), 9000 * 60.0
    looked.totals(spans(now))
    store.post("chat", 7560, {"k": 1.0})
    store.away_after = store.calls.total() + 3
    with pytest.raises(StoreError):
        looked.totals(spans(now))
    store.away_after = None
    assert looked.totals(spans(now))["24h"] == {"k": 1.0}
