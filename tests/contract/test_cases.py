"""Cases: found, handed out, voted on, decided; and an audit of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from guard.ports import Store
from guard.records import (
    Audit,
    Case,
    CaseFilter,
    CaseKind,
    CaseRecord,
    CaseState,
    InboxCounts,
    Offered,
    QueuePlace,
)
from tests.contract.clock import START, ManualClock
from tests.contract.made import case, job, leased, vote

ANY = CaseFilter()
DAY = 86_400.0
OPEN, DISPUTED, CLOSED, EXAMPLE = CaseState


def ids(filed: object) -> list[str]:
    return [one.case.id for one in filed]  # type: ignore[attr-defined]


def events(store: Store, case_id: str = "") -> list[tuple[str, str, str]]:
    return [(one.event, one.actor, one.detail) for one in store.audit(case_id=case_id)]


def known(store: Store, case_id: str = "c1") -> CaseRecord:
    filed = store.case(case_id)
    assert filed is not None
    return filed


def decide(store: Store, *votes: tuple[str, str], case_id: str = "c1") -> CaseRecord:
    """The case after these people voted so."""
    for reviewer, verdict in votes:
        assert store.hold(case_id, reviewer=reviewer, seconds=60)
        assert store.vote(vote(case_id, reviewer, verdict=verdict))
    return known(store, case_id)


def test_a_new_store_has_no_cases(store: Store) -> None:
    assert store.case("c1") is None
    assert store.query(ANY) == []
    assert store.take(ANY, reviewer="ann", seconds=60) is None
    assert store.case_counts() == {}
    assert store.oldest_open_at() is None
    assert store.audit() == []


def test_a_case_stands_as_it_was_filed(store: Store) -> None:
    strange = case(
        reasons=("a,b", 'q"', "ü"),
        groups=(),
        attribute="",
        body='"\x00 \U0001f600 שלום"',
        reviewers=3,
    )
    assert store.open(strange)
    assert store.case("c1") == CaseRecord(case=strange, state=OPEN)
    assert store.query(ANY) == [CaseRecord(case=strange, state=OPEN)]


def test_a_case_is_filed_once(store: Store) -> None:
    assert store.open(case(body='"first"'))
    assert not store.open(case(body='"second"'))
    store.close("c1", by="eve", verdict="fair")
    assert not store.open(case(body='"third"'))
    assert known(store).case.body == '"first"'
    assert store.case_counts() == {("support-chat", CLOSED): 1}


def test_cases_come_by_age_then_id(store: Store) -> None:
    for name, age in (("c", 5), ("b", 9), ("a", 5), ("d", 1)):
        store.open(case(name, opened_at=START - age))
    assert ids(store.query(ANY)) == ["b", "a", "c", "d"]
    assert ids(store.query(ANY, limit=2)) == ["b", "a"]
    assert ids(store.query(ANY, after="a", limit=2)) == ["c", "d"]
    assert store.query(ANY, after="d") == []
    assert store.query(ANY, after="nonsense") == []
    assert store.query(ANY, limit=0) == []


MANY = (
    case("c1"),
    case("c2", use_case="summaries", opened_at=START + 1),
    case("c3", kind=CaseKind.RESPONSE, attribute="", groups=(), opened_at=START + 2),
    case("c4", attribute="age", opened_at=START + 3),
    case("c5", reasons=("sentiment",), opened_at=START + 4),
    case("c6", call_id="call-of-c1", opened_at=START + 5),
)
FILTERS = {
    "all": (ANY, "c1 c2 c3 c4 c5 c6"),
    "use case": (CaseFilter(use_case="summaries"), "c2"),
    "no use case": (CaseFilter(use_case="x"), ""),
    "kind": (CaseFilter(kind=CaseKind.RESPONSE), "c3"),
    "attribute": (CaseFilter(attribute="age"), "c4"),
    "without attribute": (CaseFilter(attribute=""), "c3"),
    "reason": (CaseFilter(reason="sentiment"), "c5"),
    "another reason": (CaseFilter(reason="toxicity", use_case="support-chat"), "c1 c3 c4 c6"),
    "call": (CaseFilter(call_id="call-of-c1"), "c1 c6"),
    "before": (CaseFilter(opened_before=START + 2), "c1 c2"),
    "after": (CaseFilter(opened_after=START + 3), "c5 c6"),
    "between": (CaseFilter(opened_after=START, opened_before=START + 3), "c2 c3"),
    "open": (CaseFilter(state=OPEN), "c1 c3 c4 c6"),
    "closed": (CaseFilter(state=CLOSED), "c2"),
    "disputed": (CaseFilter(state=DISPUTED), "c5"),
    "not by ann": (CaseFilter(not_voted_by="ann"), "c1 c3 c4 c6"),
    "not by bob": (CaseFilter(not_voted_by="bob"), "c1 c2 c3 c4 c6"),
    "several": (CaseFilter(state=OPEN, attribute="gender", reason="refusal"), "c1 c6"),
}


@pytest.mark.parametrize("name", FILTERS)
def test_cases_are_filtered(store: Store, name: str) -> None:
    for one in MANY:
        store.open(replace(one, reviewers=2 if one.id == "c5" else 1))
    decide(store, ("ann", "fair"), case_id="c2")
    decide(store, ("ann", "fair"), ("bob", "biased"), case_id="c5")
    where, expected = FILTERS[name]
    assert ids(store.query(where)) == expected.split()
    assert ids(store.query(where, after="c1")) == [i for i in expected.split() if i != "c1"]


PRIORITIES = {"c1": 0.5, "c2": 0.0, "c3": 2.0, "c4": 0.5}


def test_the_queue_begins_with_the_highest_priority_and_of_equal_ones_with_the_oldest(
    store: Store,
) -> None:
    for at, (case_id, priority) in enumerate(PRIORITIES.items()):
        store.open(case(case_id, priority=priority, opened_at=START + at))
    store.open(case("c5", opened_at=START - 1))
    taken = [store.take(ANY, reviewer=f"r{number}", seconds=60) for number in range(6)]
    assert [one and one.case.id for one in taken] == ["c3", "c1", "c4", "c5", "c2", None]


def test_the_queue_goes_on_behind_a_place(store: Store) -> None:
    for at, (case_id, priority) in enumerate(PRIORITIES.items()):
        store.open(case(case_id, priority=priority, opened_at=START + at))

    def behind(priority: float, at: float) -> str | None:
        place = QueuePlace(priority=priority, opened_at=START + at)
        found = store.take(ANY, reviewer="ann", seconds=60, behind=place)
        return (found and store.leave(found.case.id, reviewer="ann") and found.case.id) or None

    places = [(3.0, 0), (2.0, 2), (0.5, 0), (0.5, 3), (0.0, 0), (0.0, 1)]
    assert [behind(*place) for place in places] == ["c3", "c1", "c4", "c2", "c2", None]


@pytest.mark.parametrize("priority", [-1.0, float("nan"), float("inf")])
def test_a_priority_is_a_number_from_0_on(store: Store, priority: float) -> None:
    with pytest.raises(ValueError, match="priority"):
        store.open(case(priority=priority))


def test_the_oldest_fitting_case_is_handed_out(store: Store, clock: ManualClock) -> None:
    for one in reversed(MANY):
        store.open(one)
    filed = store.take(CaseFilter(attribute="gender"), reviewer="ann", seconds=60)
    assert filed == CaseRecord(case=MANY[0], state=OPEN, holder="ann", held_until=START + 60)
    assert known(store) == filed
    clock.advance(1)
    again = store.take(ANY, reviewer="ann", seconds=60)
    assert again == replace(filed, held_until=START + 61)
    other = store.take(ANY, reviewer="bob", seconds=60)
    assert other is not None
    assert other.case.id == "c2"


def test_a_held_case_that_does_not_fit_is_not_given_again(store: Store) -> None:
    for one in MANY:
        store.open(one)
    store.hold("c1", reviewer="ann", seconds=60)
    filed = store.take(CaseFilter(attribute="age"), reviewer="ann", seconds=60)
    assert filed is not None
    assert filed.case.id == "c4"


def test_what_one_holds_comes_before_what_is_older(store: Store) -> None:
    for one in MANY:
        store.open(one)
    store.hold("c4", reviewer="ann", seconds=60)
    filed = store.take(ANY, reviewer="ann", seconds=60)
    assert filed is not None
    assert filed.case.id == "c4"


def test_a_hold_runs_out(store: Store, clock: ManualClock) -> None:
    store.open(case())
    assert store.take(ANY, reviewer="ann", seconds=60)
    assert store.take(ANY, reviewer="bob", seconds=60) is None
    clock.advance(60)
    assert known(store) == CaseRecord(case=case(), state=OPEN)
    assert store.vote(vote()) is None
    assert not store.leave("c1", reviewer="ann")
    taken = store.take(ANY, reviewer="bob", seconds=60)
    assert taken is not None
    assert taken.holder == "bob"
    assert not store.hold("c1", reviewer="ann", seconds=60)


def test_what_one_voted_on_is_not_handed_out_again(store: Store) -> None:
    store.open(case(reviewers=2))
    decide(store, ("ann", "fair"))
    assert store.take(ANY, reviewer="ann", seconds=60) is None
    assert store.take(CaseFilter(not_voted_by="bob"), reviewer="bob", seconds=60) is not None


def test_a_hold_by_a_clock_that_is_set_back_ends_at_once(store: Store, clock: ManualClock) -> None:
    for one in MANY:
        store.open(one)
    clock.advance(400 * DAY)
    taken = store.take(ANY, reviewer="ann", seconds=60)
    assert taken is not None
    clock.advance(-400 * DAY)
    found = store.case(taken.case.id)
    assert found is not None
    assert (found.holder, found.held_until) == ("", None)
    other = store.take(ANY, reviewer="bob", seconds=60)
    assert other is not None
    assert (other.case.id, other.held_until) == (taken.case.id, START + 60)
    assert not store.hold(taken.case.id, reviewer="ann", seconds=60)


def test_a_filter_by_what_somebody_else_voted_on_holds_for_who_takes_a_case(store: Store) -> None:
    for name in ("c1", "c2", "c3"):
        store.open(case(name, reviewers=2))
    decide(store, ("bob", "fair"), case_id="c1")
    decide(store, ("ann", "fair"), case_id="c2")
    where = CaseFilter(not_voted_by="bob")
    taken = store.take(where, reviewer="ann", seconds=60)
    assert taken is not None
    assert taken.case.id == "c3"


def test_disputed_cases_are_handed_out_on_request_only(store: Store) -> None:
    store.open(case(reviewers=2))
    decide(store, ("ann", "fair"), ("bob", "biased"))
    assert store.take(ANY, reviewer="eve", seconds=60) is None
    assert store.take(CaseFilter(state=DISPUTED), reviewer="ann", seconds=60) is None
    filed = store.take(CaseFilter(state=DISPUTED), reviewer="eve", seconds=60)
    assert filed is not None
    assert (filed.state, filed.holder) == (DISPUTED, "eve")


def test_closed_cases_are_never_handed_out(store: Store) -> None:
    store.open(case())
    store.close("c1", by="eve", verdict="fair")
    assert store.take(ANY, reviewer="ann", seconds=60) is None
    assert store.take(CaseFilter(state=CLOSED), reviewer="ann", seconds=60) is None
    assert not store.hold("c1", reviewer="ann", seconds=60)


def test_an_example_is_kept_and_nobody_is_asked_about_it(store: Store) -> None:
    assert store.open(case(reviewers=0))
    assert known(store).state is EXAMPLE
    assert store.take(ANY, reviewer="ann", seconds=60) is None
    assert store.take(CaseFilter(state=EXAMPLE), reviewer="ann", seconds=60) is None
    assert not store.hold("c1", reviewer="ann", seconds=60)
    assert store.vote(vote()) is None
    assert store.close("c1", by="eve", verdict="fair") is None
    assert store.oldest_open_at() is None
    assert store.case_counts() == {("support-chat", EXAMPLE): 1}
    assert ids(store.query(CaseFilter(state=EXAMPLE, reason="toxicity"))) == ["c1"]
    assert store.erase("call-of-c1", by="eve") == 1
    assert store.case("c1") is None


def test_one_certain_case_is_held(store: Store, clock: ManualClock) -> None:
    assert not store.hold("c1", reviewer="ann", seconds=60)
    store.open(case())
    assert store.hold("c1", reviewer="ann", seconds=60)
    assert not store.hold("c1", reviewer="bob", seconds=60)
    clock.advance(50)
    assert store.hold("c1", reviewer="ann", seconds=60)
    assert known(store).held_until == START + 110
    clock.advance(60)
    assert store.hold("c1", reviewer="bob", seconds=60)
    assert known(store).holder == "bob"


def test_a_case_is_given_back_undecided(store: Store) -> None:
    assert not store.leave("c1", reviewer="ann")
    store.open(case())
    assert not store.leave("c1", reviewer="ann")
    assert not store.leave("c1", reviewer="")
    store.hold("c1", reviewer="ann", seconds=60)
    assert not store.leave("c1", reviewer="bob")
    assert store.leave("c1", reviewer="ann")
    assert known(store) == CaseRecord(case=case(), state=OPEN)
    assert store.take(ANY, reviewer="bob", seconds=60) is not None


def test_the_vote_of_one_wanted_reviewer_closes(store: Store, clock: ManualClock) -> None:
    store.open(case())
    store.hold("c1", reviewer="ann", seconds=60)
    clock.advance(30)
    filed = store.vote(vote())
    assert filed == known(store)
    assert filed == CaseRecord(
        case=case(), state=CLOSED, votes=(vote(),), verdict="biased", closed_at=START + 30
    )


def test_only_the_holder_votes(store: Store) -> None:
    store.open(case())
    assert store.vote(vote("nonsense")) is None
    assert store.vote(vote()) is None
    assert store.vote(vote(reviewer="")) is None
    store.hold("c1", reviewer="bob", seconds=60)
    assert store.vote(vote()) is None
    assert known(store).votes == ()
    assert store.vote(vote(reviewer="bob", seconds_taken=None))
    assert store.vote(vote(reviewer="bob")) is None


def test_agreement_closes_and_disagreement_is_disputed(store: Store) -> None:
    for name in ("agree", "differ"):
        store.open(case(name, reviewers=2))
        assert decide(store, ("ann", "fair"), case_id=name).state is OPEN
    agreed = decide(store, ("bob", "fair"), case_id="agree")
    assert (agreed.state, agreed.verdict, agreed.decided_by) == (CLOSED, "fair", "")
    differing = decide(store, ("bob", "biased"), case_id="differ")
    assert (differing.state, differing.verdict, differing.closed_at) == (DISPUTED, "", None)
    assert differing.holder == ""


def test_votes_come_by_time_then_reviewer(store: Store) -> None:
    store.open(case(reviewers=4))
    for reviewer, at in (("zoe", 2), ("bob", 3), ("ann", 3)):
        store.hold("c1", reviewer=reviewer, seconds=60)
        store.vote(vote(reviewer=reviewer, at_seconds=START + at))
    assert [one.reviewer for one in known(store).votes] == ["zoe", "ann", "bob"]


def test_a_second_vote_replaces_the_first(store: Store) -> None:
    store.open(case(reviewers=2))
    filed = decide(store, ("ann", "fair"), ("ann", "biased"))
    assert filed.votes == (vote(),)
    assert filed.state is OPEN
    assert decide(store, ("bob", "fair")).state is DISPUTED
    assert decide(store, ("ann", "fair")).verdict == "fair"


def test_a_further_vote_does_not_settle_a_dispute(store: Store) -> None:
    store.open(case(reviewers=2))
    decide(store, ("ann", "fair"), ("bob", "biased"))
    assert decide(store, ("eve", "fair")).state is DISPUTED


def test_a_vote_is_taken_back(store: Store, clock: ManualClock) -> None:
    store.open(case())
    decide(store, ("ann", "fair"))
    clock.advance(5)
    filed = store.unvote("c1", reviewer="ann", seconds=60)
    assert filed == CaseRecord(case=case(), state=OPEN, holder="ann", held_until=START + 65)
    assert filed == known(store)
    assert store.unvote("c1", reviewer="ann", seconds=60) is None
    assert store.oldest_open_at() == START


def test_a_disputed_case_is_open_again_without_a_vote(store: Store) -> None:
    store.open(case(reviewers=2))
    decide(store, ("ann", "fair"), ("bob", "biased"))
    filed = store.unvote("c1", reviewer="bob", seconds=60)
    assert filed is not None
    assert (filed.state, len(filed.votes)) == (OPEN, 1)
    assert store.case_counts() == {("support-chat", OPEN): 1}


def test_a_vote_cannot_be_taken_back_behind_ones_back(store: Store) -> None:
    store.open(case(reviewers=2))
    assert store.unvote("c1", reviewer="ann", seconds=60) is None
    assert store.unvote("nonsense", reviewer="ann", seconds=60) is None
    decide(store, ("ann", "fair"))
    store.hold("c1", reviewer="bob", seconds=60)
    assert store.unvote("c1", reviewer="ann", seconds=60) is None
    store.leave("c1", reviewer="bob")
    store.close("c1", by="eve", verdict="biased")
    assert store.unvote("c1", reviewer="ann", seconds=60) is None
    assert known(store).verdict == "biased"


def test_an_adjudicator_decides(store: Store, clock: ManualClock) -> None:
    store.open(case(reviewers=2))
    decide(store, ("ann", "fair"), ("bob", "biased"))
    store.hold("c1", reviewer="bob", seconds=60)
    clock.advance(9)
    filed = store.close("c1", by="eve", verdict="fair", note="the words are quoted")
    assert filed is not None
    assert filed == known(store)
    assert (filed.state, filed.verdict, filed.closed_at) == (CLOSED, "fair", START + 9)
    assert (filed.decided_by, filed.note) == ("eve", "the words are quoted")
    assert (filed.holder, len(filed.votes)) == ("", 2)
    assert store.close("c1", by="eve", verdict="biased") is None
    assert store.close("nonsense", by="eve", verdict="biased") is None


def test_cases_are_counted(store: Store) -> None:
    for one in MANY:
        store.open(replace(one, reviewers=2 if one.id == "c1" else 1))
    decide(store, ("ann", "fair"), ("bob", "biased"), case_id="c1")
    decide(store, ("ann", "fair"), case_id="c2")
    assert store.case_counts() == {
        ("support-chat", OPEN): 4,
        ("support-chat", DISPUTED): 1,
        ("summaries", CLOSED): 1,
    }
    store.unvote("c2", reviewer="ann", seconds=60)
    store.erase("call-of-c1", by="eve")
    assert store.case_counts() == {("support-chat", OPEN): 3, ("summaries", OPEN): 1}


def test_the_oldest_case_waits(store: Store) -> None:
    store.open(case("c1", opened_at=START - 9, reviewers=2))
    store.open(case("c2", opened_at=START - 5))
    assert store.oldest_open_at() == START - 9
    decide(store, ("ann", "fair"), ("bob", "biased"))
    assert store.oldest_open_at() == START - 9
    store.close("c1", by="eve", verdict="fair")
    assert store.oldest_open_at() == START - 5
    store.close("c2", by="eve", verdict="fair")
    assert store.oldest_open_at() is None


def test_every_change_is_in_the_audit(store: Store) -> None:
    store.open(case(reviewers=2))
    store.take(ANY, reviewer="ann", seconds=60)
    store.take(ANY, reviewer="ann", seconds=60)
    store.hold("c1", reviewer="ann", seconds=60)
    store.leave("c1", reviewer="ann")
    decide(store, ("ann", "fair"), ("bob", "biased"))
    store.unvote("c1", reviewer="bob", seconds=60)
    store.vote(vote(reviewer="bob", verdict="fair"))
    assert events(store, "c1") == [
        ("opened", "guard", ""),
        ("held", "ann", ""),
        ("left", "ann", ""),
        ("held", "ann", ""),
        ("voted", "ann", "fair"),
        ("held", "bob", ""),
        ("voted", "bob", "biased"),
        ("disputed", "bob", ""),
        ("unvoted", "bob", ""),
        ("voted", "bob", "fair"),
        ("closed", "bob", "fair"),
    ]


def test_what_is_refused_is_not_in_the_audit(store: Store) -> None:
    store.open(case())
    store.open(case())
    store.vote(vote())
    store.leave("c1", reviewer="ann")
    store.unvote("c1", reviewer="ann", seconds=60)
    store.close("c2", by="eve", verdict="fair")
    store.erase("nonsense", by="eve")
    assert len(store.audit()) == 1


def test_the_audit_is_numbered_and_read_in_parts(store: Store, clock: ManualClock) -> None:
    store.open(case("c1"))
    clock.advance(1)
    store.open(case("c2"))
    store.close("c1", by="eve", verdict="fair", note="a text")
    store.note(actor="eve", event="signed in", detail="from a desk")
    store.note(actor="eve", event="looked", case_id="c2")
    log = store.audit()
    assert [one.number for one in log] == [1, 2, 3, 4, 5]
    assert log[2] == Audit(
        number=3, at_seconds=START + 1, actor="eve", event="closed", case_id="c1", detail="fair"
    )
    assert log[3] == Audit(
        number=4, at_seconds=START + 1, actor="eve", event="signed in", detail="from a desk"
    )
    assert store.audit(after=3) == log[3:]
    assert store.audit(after=1, limit=2) == log[1:3]
    assert store.audit(case_id="c2") == [log[1], log[4]]
    assert store.audit(case_id="c2", after=2, limit=5) == [log[4]]
    assert store.audit(after=5) == store.audit(after=10**15 - 1) == []


def test_a_call_is_erased(store: Store) -> None:
    store.open(case("c1"))
    store.open(case("c2", call_id="call-of-c1", opened_at=START + 1))
    store.open(case("c3", opened_at=START + 2))
    decide(store, ("ann", "fair"))
    store.offer(job("j1", call_id="call-of-c1"))
    store.offer(job("j2"))
    before = store.audit()
    assert store.erase("call-of-c1", by="eve") == 3
    assert store.erase("call-of-c1", by="eve") == 0
    assert store.case("c1") is None
    assert ids(store.query(ANY)) == ["c3"]
    assert store.query(CaseFilter(call_id="call-of-c1")) == []
    assert store.job_counts() == InboxCounts(ready=1, oldest_at=START)
    log = store.audit()
    assert log[: len(before)] == before
    assert [(one.event, one.actor, one.case_id, one.detail) for one in log[len(before) :]] == [
        ("erased", "eve", "c1", "call-of-c1"),
        ("erased", "eve", "c2", "call-of-c1"),
        ("erased", "eve", "", "j1"),
    ]


def test_what_comes_in_for_an_erased_call_is_left_out(store: Store) -> None:
    store.erase("call-1", by="eve")
    assert not store.open(case(call_id="call-1"))
    assert store.offer(job(call_id="call-1")) is Offered.DUPLICATE
    store.offer(job("j2"))
    assert store.finish(leased(store)[0], cases=[case(call_id="call-1"), case("c2")])
    assert ids(store.query(ANY)) == ["c2"]


@pytest.mark.parametrize("stage", ["leased", "buried"])
def test_a_call_is_erased_wherever_its_job_is(store: Store, stage: str) -> None:
    store.offer(job(call_id="call-1"))
    [lease] = leased(store)
    if stage == "buried":
        store.dead_letter(lease, error="400")
    assert store.erase("call-1", by="eve") == 1
    assert not store.finish(lease, cases=[case(call_id="other")])
    assert store.renew(lease, seconds=5) is None
    assert not store.requeue("j1")
    assert store.dead_letters(limit=5) == []
    assert store.query(ANY) == []
    assert store.job_counts() == InboxCounts()


def test_no_call_is_not_a_call(store: Store) -> None:
    store.open(case(call_id=""))
    store.offer(job(call_id=""))
    assert store.erase("", by="eve") == 0
    assert store.case_counts() == {("support-chat", OPEN): 1}
    assert store.open(case("c2", call_id=""))


def test_room_is_made_by_erasing(opened: Callable[..., Store]) -> None:
    store = opened(max_jobs=1)
    store.offer(job("j1"))
    assert store.offer(job("j2")) is Offered.FULL
    store.erase("call-of-j1", by="eve")
    assert store.offer(job("j2")) is Offered.ACCEPTED


@pytest.mark.parametrize("field", ["id", "use_case", "call_id", "body", "attribute"])
def test_a_case_that_cannot_be_kept_is_refused(store: Store, field: str) -> None:
    broken: Case = case(**{field: "\ud800"})
    with pytest.raises(ValueError, match="surrogate"):
        store.open(broken)
    assert store.audit() == []


@pytest.mark.parametrize("field", ["verdict", "reason", "note"])
def test_a_vote_that_cannot_be_kept_is_refused(store: Store, field: str) -> None:
    store.open(case())
    store.hold("c1", reviewer="ann", seconds=60)
    with pytest.raises(ValueError, match="surrogate"):
        store.vote(vote(**{field: "\ud800"}))
    assert known(store).votes == ()


def test_fitting_cases_are_counted_up_to_a_number(store: Store) -> None:
    for number in range(6):
        store.open(
            case(
                f"c{number}",
                use_case=("chat", "summaries")[number % 2],
                reasons=(("refusal",), ("p_value", "refusal"))[number // 3],
                opened_at=START + number,
            )
        )
    decide(store, ("ann", "biased"), case_id="c0")
    counted = {
        "all": store.count(ANY, most=100),
        "up to": store.count(ANY, most=4),
        "none": store.count(ANY, most=0),
        "less than none": store.count(ANY, most=-1),
        "open": store.count(CaseFilter(state=OPEN), most=100),
        "of a use case": store.count(CaseFilter(use_case="chat"), most=100),
        "open of it": store.count(CaseFilter(use_case="chat", state=OPEN), most=100),
        "kind and state": store.count(CaseFilter(kind=CaseKind.PAIR, state=OPEN), most=100),
        "for a reason": store.count(CaseFilter(reason="p_value"), most=100),
        "of a call": store.count(CaseFilter(call_id="call-of-c3"), most=100),
        "of nobody's call": store.count(CaseFilter(call_id=""), most=100),
        "later": store.count(CaseFilter(opened_after=START + 1), most=100),
        "between": store.count(
            CaseFilter(state=OPEN, opened_after=START, opened_before=START + 3), most=100
        ),
        "not voted on": store.count(CaseFilter(not_voted_by="ann"), most=100),
        "of the attribute": store.count(CaseFilter(attribute="age"), most=100),
    }
    assert counted == {
        "all": 6,
        "up to": 4,
        "none": 0,
        "less than none": 0,
        "open": 5,
        "of a use case": 3,
        "open of it": 2,
        "kind and state": 5,
        "for a reason": 3,
        "of a call": 1,
        "of nobody's call": 0,
        "later": 4,
        "between": 2,
        "not voted on": 5,
        "of the attribute": 0,
    }


def test_a_store_can_settle_at_any_time(store: Store) -> None:
    store.open(case())
    store.erase("call-of-c1", by="eve")
    assert store.settle() in {True, False}
    assert store.settle() in {True, False}
    assert store.case("c1") is None
