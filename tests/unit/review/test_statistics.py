"""What decisions amount to, and that each is counted once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.ports import Store
from guard.records import CaseState, Reading, Undefined, Vote
from guard.review.decision_counts import SUMS, bin_of, count_new_decisions
from guard.review.service import ReviewService
from guard.review.statistics import ReviewStatistics, verdict_readings
from tests.repeats import repeats
from tests.unit.review.made import (
    START,
    ManualClock,
    decided,
    desk_of,
    empty_store,
    pair,
    response,
)

HOUR = 3600.0


def sums(store: Store) -> dict[str, float]:
    found = store.evidence("chat", [SUMS])[SUMS]
    return {name: value for name, value in found.items() if value}


def test_a_confirmed_flag_is_precise(desk: ReviewService, store: Store) -> None:
    store.open(pair())
    store.open(pair("p2"))
    store.open(pair("p3"))
    decided(desk, "p1", ("ann", "biased"))
    decided(desk, "p2", ("ann", "different_but_fair"))
    decided(desk, "p3", ("ann", "bad_rewrite"))
    by_reason = {flag.reason: flag for flag in desk.statistics().flags}
    flag = by_reason["toxicity_gap"]
    assert (flag.confirmed, flag.rejected, flag.undecided) == (1, 1, 1)
    assert isinstance(flag.precision, Reading)
    assert (flag.precision.value, flag.precision.n) == (0.5, 2)
    assert flag.precision.low < 0.1 < 0.9 < flag.precision.high


def test_unsure_says_nothing_on_a_flag(desk: ReviewService, store: Store) -> None:
    store.open(response())
    decided(desk, "r1", ("ann", "unsure"))
    [flag] = desk.statistics().flags
    assert flag.undecided == 1
    assert isinstance(flag.precision, Undefined)


def test_the_adjudicators_verdict_counts_for_the_flag(desk: ReviewService, store: Store) -> None:
    store.open(pair(reviewers=2))
    decided(desk, "p1", ("ann", "biased"), ("bob", "not_different"))
    before = desk.statistics()
    assert (before.flags, before.disputed, before.backlog.disputed) == ((), 1, 1)
    desk.adjudicate("p1", "eve", "biased")
    after = desk.statistics()
    assert [flag.confirmed for flag in after.flags] == [1, 1]
    assert (after.disputed, after.adjudicated, after.verdicts) == (1, 1, {"pair": {"biased": 1}})


def test_agreement_is_over_all_cases(desk: ReviewService, store: Store) -> None:
    for number in range(60):
        store.open(pair(f"p{number}", reviewers=2))
        verdict = ("biased", "not_different")[number % 2]
        decided(desk, f"p{number}", ("ann", verdict), ("bob", verdict))
    found = desk.statistics("chat")
    [alpha] = found.alphas
    [kappa] = found.kappas
    assert isinstance(alpha.reading, Reading)
    assert isinstance(kappa.reading, Reading)
    assert (alpha.reading.value, kappa.reading.value) == (1.0, 1.0)
    assert (kappa.first, kappa.second, kappa.reading.n) == ("ann", "bob", 60)


def test_readings_for_metrics_say_the_same(desk: ReviewService, store: Store) -> None:
    assert verdict_readings(store)("chat") == []
    for number in range(40):
        store.open(pair(f"p{number}", reviewers=2))
        verdict = ("biased", "not_different")[number % 2]
        decided(desk, f"p{number}", ("ann", verdict), ("bob", verdict))
    found = {(one.what, one.of): one.reading for one in verdict_readings(store)("chat")}
    assert set(found) == {
        *(("precision", "sentiment_gap"), ("precision", "toxicity_gap"), ("agreement", "pair"))
    }
    assert found["precision", "toxicity_gap"] == desk.statistics().flags[1].precision
    assert found["agreement", "pair"].value == 1.0


def test_time_is_from_opening_to_verdict(
    desk: ReviewService, store: Store, clock: ManualClock
) -> None:
    for number, seconds in enumerate((4, 8, 12, 50)):
        store.open(pair(f"p{number}"))
        desk.open(f"p{number}", "ann")
        clock.now += seconds
        desk.decide(f"p{number}", "ann", "biased")
    times = desk.statistics().times
    assert (times.votes, times.mean_seconds, times.median_seconds) == (4, 18.5, 10.0)
    assert [(end, count) for end, count in times.bins if count] == [
        *((5, 1), (10, 1), (15, 1), (60, 1))
    ]


def test_what_waits_is_told_by_age(desk: ReviewService, store: Store) -> None:
    for number, hours in enumerate((0.5, 5, 30, 100, 500)):
        store.open(pair(f"p{number}", opened_at=START - hours * HOUR))
    store.open(response(use_case="other"))
    backlog = desk.statistics("chat").backlog
    assert (backlog.open, backlog.disputed, backlog.closed) == (5, 0, 0)
    assert [count for _, count in backlog.ages] == [1, 1, 1, 1, 1]
    assert backlog.oldest_seconds == 500 * HOUR
    assert desk.statistics().backlog.open == 6


def test_days_say_what_came_and_went(desk: ReviewService, store: Store, clock: ManualClock) -> None:
    store.open(pair())
    store.open(pair("p2", opened_at=START - 24 * HOUR))
    decided(desk, "p1", ("ann", "biased"))
    clock.now += 24 * HOUR
    decided(desk, "p2", ("ann", "biased"))
    days = [(day.opened, day.voted, day.closed) for day in desk.statistics().days]
    assert days[-3:] == [(1, 0, 0), (1, 1, 1), (0, 1, 1)]
    assert len(days) == 30


def test_each_entry_is_counted_once_whoever_follows(
    desk: ReviewService, store: Store, clock: ManualClock
) -> None:
    store.open(pair())
    decided(desk, "p1", ("ann", "biased"))
    before = sums(store)
    for _ in range(3):
        assert count_new_decisions(store)
        assert desk_of(store, clock).count_new()
    assert sums(store) == before


def test_a_follower_that_read_before_another_counted_adds_nothing(
    desk: ReviewService, store: Store
) -> None:
    class Late:
        """Read its position before anybody else did anything."""

        def position(self, _: str) -> int:
            return 0

        def __getattr__(self, name: str) -> object:
            return getattr(store, name)

    store.open(pair())
    decided(desk, "p1", ("ann", "biased"))
    before = sums(store)
    assert count_new_decisions(Late())  # type: ignore[arg-type]
    assert sums(store) == before


def test_long_audits_are_followed_in_parts(desk: ReviewService, store: Store) -> None:
    for number in range(2500):
        store.open(pair(f"p{number}"))
    store.hold("p7", reviewer="ann", seconds=60)
    assert not desk.count_new(pages=1)
    assert desk.count_new(pages=10)
    desk.decide("p7", "ann", "biased")
    assert desk.statistics().flags[0].confirmed == 1


def test_what_was_erased_is_passed_over(desk: ReviewService, store: Store) -> None:
    store.open(pair())
    store.open(pair("p2"))
    store.hold("p1", reviewer="ann", seconds=60)
    store.vote(_vote("p1", "ann", "biased"))
    store.erase("call-of-p1", by="eve")
    decided(desk, "p2", ("ann", "biased"))
    assert desk.statistics().flags[0].confirmed == 1


@pytest.mark.parametrize(
    ("reason", "value", "bin_"),
    [
        ("toxicity_gap", 0.7, "0.70"),
        ("toxicity_gap", 0.789, "0.78"),
        ("toxicity", 1.0, "1.00"),
        ("p_value", 0.0041, "0.005"),
        ("p_value", 0.004, "0.004"),
        ("refusal", None, ""),
    ],
)
def test_bins_lean_to_the_harmless_side(reason: str, value: float | None, bin_: str) -> None:
    assert bin_of(reason, value) == bin_


steps = st.lists(
    st.tuples(
        st.sampled_from(("vote", "undo", "skip", "adjudicate", "wait")),
        st.sampled_from(("ann", "bob", "joe")),
        st.sampled_from(("p1", "p2")),
        st.sampled_from(("biased", "not_different", "unsure")),
    ),
    max_size=25,
)


def play(desk: ReviewService, clock: ManualClock, played: list[tuple[str, str, str, str]]) -> None:
    for what, who, case_id, verdict in played:
        opened = desk.open(case_id, who)
        assert opened is not None
        if what == "vote" and opened.held:
            clock.now += 3.7
            desk.decide(case_id, who, verdict)
        elif what == "undo":
            desk.undo(who)
        elif what == "skip":
            desk.skip(case_id, who)
        elif what == "adjudicate" and opened.record.state is CaseState.DISPUTED:
            desk.adjudicate(case_id, who, verdict)
        elif what == "wait":
            clock.now += 61.0


@pytest.mark.soak
@settings(max_examples=repeats(30, soak=300), deadline=None)
@given(played=steps)
def test_the_sums_are_those_of_the_cases_as_they_stand(
    played: list[tuple[str, str, str, str]],
) -> None:
    clock = ManualClock()
    store = empty_store(clock)
    desk = desk_of(store, clock)
    for case_id in ("p1", "p2"):
        store.open(pair(case_id, reviewers=2))
    play(desk, clock, played)
    counted = sums(store)
    filed = [one for case_id in ("p1", "p2") if (one := store.case(case_id))]
    closed = [one for one in filed if one.state is CaseState.CLOSED]
    in_bins = {n: v for n, v in counted.items() if n.startswith("seconds|")}
    assert sum(in_bins.values()) == sum(len(one.votes) for one in filed)
    verdicts = {n: v for n, v in counted.items() if n.startswith("verdict|")}
    assert sum(verdicts.values()) == len(closed)
    assert {n.rpartition("|")[2] for n in verdicts} == {one.verdict for one in closed}
    assert counted.get("cases|adjudicated", 0.0) == sum(bool(one.decided_by) for one in closed)


@pytest.mark.soak
@settings(max_examples=repeats(30, soak=300), deadline=None)
@given(played=steps)
def test_a_vote_taken_back_was_never_cast(played: list[tuple[str, str, str, str]]) -> None:
    clock = ManualClock()
    store = empty_store(clock)
    desk = desk_of(store, clock)
    for case_id in ("p1", "p2", "p3"):
        store.open(pair(case_id, reviewers=2))
    play(desk, clock, played)
    before, backlog = sums(store), _without_days(desk.statistics())
    desk.open("p3", "eve")
    clock.now += 1.0
    desk.decide("p3", "eve", "biased")
    assert sums(store) != before
    undone = desk.undo("eve")
    assert undone is not None
    desk.leave("p3", "eve")
    assert sums(store) == pytest.approx(before)
    clock.now -= 1.0
    assert _without_days(desk.statistics()) == backlog


def _without_days(found: ReviewStatistics) -> ReviewStatistics:
    return replace(found, days=())


def _vote(case_id: str, reviewer: str, verdict: str) -> Vote:
    return Vote(case_id=case_id, reviewer=reviewer, verdict=verdict, at_seconds=START)
