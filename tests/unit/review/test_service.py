"""Who gets which case, and what a verdict does to it."""

from __future__ import annotations

import pytest

from guard.errors import AlreadyClosed, NoSuchCase, NotHeld, StoreError, WrongVerdict
from guard.ports import Store
from guard.records import CaseFilter, CaseKind, CaseState
from guard.review.service import MAX_OPENED, ReviewService
from guard.review.views import PairView, ResponseView
from tests.unit.review.made import START, ManualClock, decided, pair, response


def next_id(desk: ReviewService, reviewer: str, where: CaseFilter | None = None) -> str:
    opened = desk.next(reviewer, where)
    return opened.record.case.id if opened else ""


@pytest.fixture
def three(store: Store) -> None:
    for number in range(3):
        store.open(pair(f"p{number}", opened_at=START - 100 + number))


def test_the_oldest_comes_first_and_stays_until_it_is_decided(
    desk: ReviewService, three: None
) -> None:
    assert [next_id(desk, "ann"), next_id(desk, "ann")] == ["p0", "p0"]
    desk.decide("p0", "ann", "biased")
    assert next_id(desk, "ann") == "p1"


def test_two_people_never_hold_one_case(desk: ReviewService, three: None) -> None:
    assert [next_id(desk, who) for who in ("ann", "bob", "eve", "joe")] == ["p0", "p1", "p2", ""]
    opened = desk.open("p0", "bob")
    assert opened is not None
    assert not opened.held
    with pytest.raises(NotHeld, match="open it again"):
        desk.decide("p0", "bob", "biased")


def test_nobody_holds_all_of_a_queue_by_opening_case_after_case(
    desk: ReviewService, store: Store
) -> None:
    for number in range(MAX_OPENED + 3):
        store.open(pair(f"p{number}", opened_at=START - 100 + number))
    for number in (*range(MAX_OPENED), 1, *range(MAX_OPENED, MAX_OPENED + 3)):
        assert desk.open(f"p{number}", "ann") is not None
    held = {one.case.id for one in store.query(CaseFilter()) if one.holder == "ann"}
    free = {"p0", "p2", "p3"}
    assert held == {f"p{number}" for number in range(MAX_OPENED + 3)} - free


def test_a_pair_comes_before_the_reply_that_it_is_about(desk: ReviewService, store: Store) -> None:
    store.open(response("r1", call_id="call", opened_at=START - 100))
    store.open(pair("p1", call_id="call", opened_at=START - 90))
    store.open(response("r2", call_id="another", opened_at=START - 80))
    assert next_id(desk, "ann") == "p1"
    assert next_id(desk, "bob") == "r2"
    desk.decide("p1", "ann", "biased")
    assert next_id(desk, "ann") == "r1"


def test_a_pair_comes_last_for_who_has_seen_its_reply(desk: ReviewService, store: Store) -> None:
    store.open(response("r1", call_id="call", opened_at=START - 100))
    assert next_id(desk, "ann") == "r1"
    desk.decide("r1", "ann", "harmful")
    store.open(pair("p1", call_id="call", opened_at=START - 90))
    store.open(pair("p2", call_id="another", opened_at=START - 80))
    assert next_id(desk, "ann") == "p2"
    assert next_id(desk, "bob") == "p1"
    desk.leave("p1", "bob")
    desk.decide("p2", "ann", "biased")
    assert next_id(desk, "ann") == "p1"


def test_a_lease_ends(desk: ReviewService, three: None, clock: ManualClock) -> None:
    assert next_id(desk, "ann") == "p0"
    clock.now += 61
    assert next_id(desk, "bob") == "p0"
    with pytest.raises(NotHeld):
        desk.decide("p0", "ann", "biased")


def test_filters_choose(desk: ReviewService, store: Store) -> None:
    store.open(pair())
    store.open(response())
    assert next_id(desk, "ann", CaseFilter(kind=CaseKind.RESPONSE)) == "r1"
    assert next_id(desk, "bob", CaseFilter(use_case="other")) == ""


def test_what_is_skipped_comes_last(desk: ReviewService, three: None) -> None:
    for skipped in ("p0", "p1", "p2"):
        assert next_id(desk, "ann") == skipped
        desk.skip(skipped, "ann")
    assert next_id(desk, "ann") == "p0"
    assert next_id(desk, "bob") == "p1"


def test_a_skipped_case_is_free_for_others(desk: ReviewService, three: None) -> None:
    next_id(desk, "ann")
    desk.skip("p0", "ann")
    assert next_id(desk, "bob") == "p0"


def test_skipping_what_is_not_held_does_nothing(desk: ReviewService, three: None) -> None:
    desk.skip("p0", "ann")
    desk.skip("nonsense", "ann")
    assert next_id(desk, "ann") == "p0"


def test_leaving_gives_it_back_at_once(desk: ReviewService, three: None) -> None:
    next_id(desk, "ann")
    assert desk.leave("p0", "ann")
    assert not desk.leave("p0", "ann")
    assert next_id(desk, "ann") == "p0"


def test_a_double_click_counts_once(desk: ReviewService, store: Store) -> None:
    store.open(pair(reviewers=2))
    desk.next("ann")
    desk.decide("p1", "ann", "biased", reason="tone", note="rude \ud800", seconds_taken=3.0)
    with pytest.raises(NotHeld):
        desk.decide("p1", "ann", "unsure")
    filed = store.case("p1")
    assert filed is not None
    [vote] = filed.votes
    assert (vote.verdict, vote.reason, vote.note) == ("biased", "tone", "rude ?")
    assert vote.seconds_taken == 3.0


def test_verdicts_are_those_of_the_kind(desk: ReviewService, store: Store) -> None:
    store.open(pair())
    store.open(response())
    for case_id, wrong in (("p1", "harmful"), ("r1", "biased"), ("r1", "'<script>")):
        desk.open(case_id, "ann")
        with pytest.raises(WrongVerdict, match="those there are"):
            desk.decide(case_id, "ann", wrong)
        with pytest.raises(WrongVerdict):
            desk.adjudicate(case_id, "eve", wrong)


def test_what_is_not_there_is_said_to_be_gone(desk: ReviewService) -> None:
    assert desk.next("ann") is None
    assert desk.open("p1", "ann") is None
    assert desk.peek("p1", "ann") is None
    assert desk.reveal("p1", "ann") is None
    with pytest.raises(NoSuchCase):
        desk.decide("p1", "ann", "biased")
    with pytest.raises(NoSuchCase):
        desk.adjudicate("p1", "ann", "biased")


def test_the_last_votes_are_taken_back_one_by_one(desk: ReviewService, three: None) -> None:
    for case_id in ("p0", "p1"):
        decided(desk, case_id, ("ann", "biased"))
    undone = [desk.undo("ann") for _ in range(3)]
    assert [one and one.record.case.id for one in undone] == ["p1", "p0", None]
    assert undone[0] is not None
    assert (undone[0].held, undone[0].blind, undone[0].verdict) == (True, True, "")


def test_what_an_adjudicator_decided_is_not_taken_back(desk: ReviewService, store: Store) -> None:
    store.open(pair(reviewers=2))
    decided(desk, "p1", ("ann", "biased"), ("bob", "not_different"))
    assert desk.adjudicate("p1", "eve", "biased", "the tone").decided_by == "eve"
    assert desk.undo("ann") is None
    with pytest.raises(AlreadyClosed):
        desk.adjudicate("p1", "eve", "unsure")
    with pytest.raises(AlreadyClosed):
        desk.decide("p1", "ann", "unsure")


def test_a_disputed_case_is_for_adjudicators(desk: ReviewService, store: Store) -> None:
    store.open(pair(reviewers=2))
    decided(desk, "p1", ("ann", "biased"), ("bob", "not_different"))
    opened = desk.open("p1", "joe")
    assert opened is not None
    assert (opened.held, opened.record.state, opened.record.votes) == (
        False,
        CaseState.DISPUTED,
        (),
    )
    assert next_id(desk, "joe") == next_id(desk, "joe", CaseFilter(state=CaseState.DISPUTED)) == ""
    assert [one.id for one in desk.queue(CaseFilter(state=CaseState.DISPUTED)).items] == ["p1"]


def test_an_undecided_case_hides_what_others_said(desk: ReviewService, store: Store) -> None:
    store.open(pair(reviewers=2))
    decided(desk, "p1", ("ann", "biased"))
    opened = desk.next("bob")
    assert opened is not None
    assert opened.record.votes == opened.record.case.groups == ()
    assert opened.record.case.body == ""
    desk.decide("p1", "bob", "biased")
    after = desk.peek("p1", "bob")
    assert after is not None
    assert [vote.reviewer for vote in after.record.votes] == ["ann", "bob"]
    assert (after.verdict, after.record.case.groups) == ("biased", ("female", "male"))


def test_whoever_looks_before_the_verdict_is_kept_in_the_audit(
    desk: ReviewService, store: Store
) -> None:
    store.open(pair())
    revealed = desk.reveal("p1", "eve")
    assert revealed is not None
    assert isinstance(revealed.view, PairView)
    assert not revealed.view.blind
    assert [(entry.event, entry.actor) for entry in desk.audit("p1")][-1] == ("revealed", "eve")


def test_the_queue_is_paged_and_counted(desk: ReviewService, three: None) -> None:
    first = desk.queue(limit=2)
    rest = desk.queue(limit=2, after=first.next)
    assert [one.id for one in (*first.items, *rest.items)] == ["p0", "p1", "p2"]
    assert (first.next, rest.next) == ("p1", "")
    assert desk.count().cases == 3
    assert desk.count(CaseFilter(attribute="age")).cases == 0


def test_a_response_is_not_blind(desk: ReviewService, store: Store) -> None:
    store.open(response())
    opened = desk.next("ann")
    assert opened is not None
    assert not opened.blind
    assert isinstance(opened.view, ResponseView)


def test_a_body_of_another_version_is_not_shown_and_can_be_skipped(
    desk: ReviewService, store: Store
) -> None:
    for number, body in enumerate(("{}", "no json", "[1]", '{"version": 2}', "[" * 100_000)):
        store.open(pair(f"p{number}", body=body, opened_at=START + number))
        opened = desk.next("ann")
        assert opened is not None
        assert opened.view is None
        desk.skip(f"p{number}", "ann")


def test_a_decision_stands_even_when_it_cannot_be_counted(
    desk: ReviewService, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.open(pair())
    desk.next("ann")

    def away(*_: object) -> bool:
        raise StoreError("away")

    with monkeypatch.context() as patched:
        patched.setattr(type(store), "accept", away)
        assert desk.decide("p1", "ann", "biased").verdict == "biased"
    assert desk.statistics().flags[0].confirmed == 1
