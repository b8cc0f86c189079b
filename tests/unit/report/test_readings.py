import pytest

from guard.errors import StoreError
from guard.fairness import Fraction, Measured, Reading, Sides, WeakParity, add
from guard.fairness.catalogue import SHADOW_RESULTS, result_tally
from guard.records import About, CaseState, Evidence, InboxCounts
from guard.report import Readings, SeriesLimits

NOW = 1_000_000.0 * 60 + 20
TOXIC = Measured(metric="toxic_fraction")
WCSP = Measured(metric="wcsp", attribute="gender", groups="female~male")


def toxic(*scores):
    metric = Fraction(name=TOXIC.name)
    return add(*(metric.tally(score) for score in scores))


def weak(*pairs):
    metric = WeakParity(name=WCSP.name)
    return add(
        *(
            metric.tally(Sides(conversation=str(i), first=[first], second=[second]))
            for i, (first, second) in enumerate(pairs)
        )
    )


def nothing(_use_case):
    return ()


def readings(store, **options):
    given = {"clock": lambda: NOW, "evidence": nothing, "limits": SeriesLimits(pairs=True)}
    given |= options
    return Readings(store, **given)


def shown(snapshot):
    return {
        (one.about.use_case, one.about.metric, one.about.groups, one.window): one.reading
        for one in snapshot.readings
    }


def minutes_ago(minutes):
    return int(NOW // 60) - minutes


def test_each_window_is_read_from_its_own_minutes(store):
    store.post("chat", minutes_ago(2), toxic(0.9, 0.1))
    store.post("chat", minutes_ago(30), toxic(0.9))
    store.post("chat", minutes_ago(600), toxic(0.1, 0.1, 0.1))
    store.post("chat", minutes_ago(2000), toxic(0.9))
    found = shown(readings(store).snapshot())
    assert {window: (one.value, one.n) for (*_, window), one in found.items()} == {
        "5m": (0.5, 2),
        "1h": (2 / 3, 3),
        "24h": (2 / 6, 6),
    }


def test_a_reading_is_what_its_metric_makes_of_the_sums(store):
    tally = weak((0.9, 0.1), (0.8, 0.7), (0.2, 0.6))
    store.post("chat", minutes_ago(0), tally)
    found = shown(readings(store).snapshot())
    expected = WeakParity(name=WCSP.name).estimate(tally)
    assert isinstance(expected, Reading)
    assert found["chat", "wcsp", "female~male", "24h"] == expected


def test_what_is_undefined_is_absent(store):
    store.post("chat", minutes_ago(1), toxic(None))
    assert readings(store).snapshot().readings == ()


def test_use_cases_are_told_apart_and_come_in_order(store):
    store.post("b", minutes_ago(1), toxic(0.9))
    store.post("a", minutes_ago(1), toxic(0.1))
    found = shown(readings(store).snapshot())
    assert [use_case for use_case, *_ in found] == ["a", "a", "a", "b", "b", "b"]


def test_only_declared_use_cases_are_shown_once_some_are_declared(store):
    store.post("chat", minutes_ago(1), toxic(0.9))
    store.post("other", minutes_ago(1), toxic(0.9))
    store.cases = {("other", CaseState.OPEN): 3}
    snapshot = readings(store, use_cases=["chat"]).snapshot()
    assert {one.about.use_case for one in snapshot.readings} == {"chat"}
    assert snapshot.cases == {}


def evidence(use_case, number):
    about = About(use_case=use_case, metric=f"gap{number:02d}", attribute="a")
    return Evidence(about=about, log10_e=1.0, epoch=0, alarms=0)


OVERHEAD = 3
"""Series for the metric, the attribute and the use case of a single test."""


def test_what_is_over_the_limit_is_left_out_and_counted(store):
    store.post("chat", minutes_ago(1), add(toxic(0.9), weak((0.9, 0.1), (0.5, 0.1))))
    everything = readings(store, evidence=lambda _: [evidence("chat", 1)]).snapshot()
    assert len(everything.readings) == 6
    assert set(everything.left_out.values()) == {0}
    limits = SeriesLimits(series=OVERHEAD + 1 + 4 * 4 + 3, pairs=True)
    cut = readings(store, evidence=lambda _: [evidence("chat", 1)], limits=limits).snapshot()
    assert cut.readings == everything.readings[:4]
    assert cut.evidence == everything.evidence
    assert cut.left_out["chat", "readings"] == 8


def test_pairs_of_groups_are_shown_on_demand(store):
    store.post("chat", minutes_ago(1), add(toxic(0.9), weak((0.9, 0.1), (0.5, 0.1))))
    found = readings(store, limits=SeriesLimits()).snapshot()
    assert {one.about.metric for one in found.readings} == {"toxic_fraction"}
    assert set(found.left_out.values()) == {0}


def test_tests_over_the_limit_are_counted_too(store):
    tests = [evidence("chat", number) for number in range(5)]
    store.post("chat", minutes_ago(1), {})
    limits = SeriesLimits(series=OVERHEAD + 4 + 2)
    cut = readings(store, evidence=lambda _: tests, limits=limits).snapshot()
    assert cut.evidence == tuple(tests[:2])
    assert cut.left_out["chat", "omnibus"] == 3


def test_the_alarm_line_of_a_use_case_with_tests_is_shown(store):
    for name in ("a", "b"):
        store.post(name, minutes_ago(1), toxic(0.9))
    found = readings(store, alarm_line={"a": 3.5, "b": None}.get).snapshot()
    assert found.alarm_lines == {"a": 3.5}


def test_use_cases_over_the_limit_are_counted(store):
    for name in "abc":
        store.post(name, minutes_ago(1), toxic(0.9))
    snapshot = readings(store, limits=SeriesLimits(use_cases=2)).snapshot()
    assert {one.about.use_case for one in snapshot.readings} == {"a", "b"}
    assert snapshot.use_cases_left_out == 1


def test_ages_are_since_the_oldest_and_zero_without_one(store):
    snapshot = readings(store).snapshot()
    assert (snapshot.lag_seconds, snapshot.oldest_case_seconds) == (0.0, 0.0)
    store.jobs = InboxCounts(ready=2, oldest_at=NOW - 90)
    store.oldest = NOW - 3600
    store.cases = {("chat", CaseState.OPEN): 1}
    snapshot = readings(store).snapshot()
    assert (snapshot.lag_seconds, snapshot.oldest_case_seconds) == (90.0, 3600.0)
    assert snapshot.jobs.ready == 2
    assert snapshot.cases == {("chat", CaseState.OPEN): 1}


def test_a_clock_behind_that_of_another_machine_makes_no_age_negative(store):
    store.jobs = InboxCounts(ready=1, oldest_at=NOW + 5)
    assert readings(store).snapshot().lag_seconds == 0.0


def test_what_became_of_calls_is_counted_for_good(store):
    results = result_tally({("gender", "compared"): 7, ("", "no_mention"): 2})
    store.epochs["chat", SHADOW_RESULTS] = add(results, results, {"other|key": 1.0})
    store.post("chat", minutes_ago(1), toxic(0.9))
    shadowed = {
        (one.use_case, one.attribute, one.result): one.calls
        for one in readings(store).snapshot().shadowed
    }
    assert shadowed == {("chat", "gender", "compared"): 14, ("chat", "", "no_mention"): 4}


def test_wide_buckets_leave_out_the_windows_they_do_not_fit(store):
    store.bucket_seconds = 3600.0
    store.post("chat", int(NOW // 3600), toxic(0.9))
    assert {one.window for one in readings(store).snapshot().readings} == {"1h", "24h"}


def test_a_store_that_is_away_is_an_error_and_none_when_it_is_back(store):
    store.post("chat", minutes_ago(1), toxic(0.9))
    looked = readings(store)
    store.away = True
    with pytest.raises(StoreError):
        looked.snapshot()
    store.away = False
    assert len(looked.snapshot().readings) == 3


def test_what_takes_long_is_shown_again_until_ten_times_as_long_has_passed(store):
    store.post("chat", minutes_ago(1), toxic(0.9))
    times = iter([0.0, 4.0, 4.5, 39.9, 40.0, 40.0])
    looked = readings(store, timer=lambda: next(times))
    before = looked.snapshot()
    store.post("chat", minutes_ago(1), toxic(0.1))
    store.jobs = InboxCounts(ready=1)
    for _ in range(2):
        again = looked.snapshot()
        assert (again.readings, again.jobs.ready) == (before.readings, 1)
    assert shown(looked.snapshot())["chat", "toxic_fraction", "", "24h"].n == 2


def test_no_reading_is_older_than_a_minute(store):
    store.post("chat", minutes_ago(1), toxic(0.9))
    times = iter([0.0, 20.0, 79.9, 80.0, 100.0])
    looked = readings(store, timer=lambda: next(times))
    looked.snapshot()
    store.post("chat", minutes_ago(1), toxic(0.1))
    counts = [shown(looked.snapshot())["chat", "toxic_fraction", "", "24h"].n for _ in range(2)]
    assert counts == [1, 2]


def test_a_new_use_case_is_shown_at_once(store):
    store.post("a", minutes_ago(1), toxic(0.9))
    times = iter([0.0, 4.0, 4.5, 8.5])
    looked = readings(store, timer=lambda: next(times))
    looked.snapshot()
    store.post("b", minutes_ago(1), toxic(0.9))
    assert {one.about.use_case for one in looked.snapshot().readings} == {"a", "b"}


def test_readings_that_cost_nothing_are_always_of_now(store):
    looked = readings(store, timer=lambda: 7.0)
    for number in range(1, 4):
        store.post("chat", minutes_ago(0), toxic(0.9))
        assert shown(looked.snapshot())["chat", "toxic_fraction", "", "5m"].n == number
