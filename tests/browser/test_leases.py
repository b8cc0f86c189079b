"""Two people never have the same case in their hands, however fast they are."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from playwright.sync_api import expect

from guard.records import Audit, CaseState
from guard.review.accounts import Role
from tests.browser.conftest import Desk
from tests.browser.pressing import case_of, press
from tests.browser.visitor import Visitor

MANY, CASES = 6, 30


def overlaps(trail: list[Audit]) -> list[Audit]:
    """The entries by which somebody got a case that was in other hands."""
    holder, found = "", []
    for entry in trail:
        if entry.event == "held":
            found += [entry] if holder not in {"", entry.actor} else []
            holder = entry.actor
        elif entry.event in {"left", "voted", "closed"}:
            holder = ""
    return found


def test_two_pages_are_never_given_the_same_case(desk: Desk) -> None:
    desk.file_pairs(6)
    pages = [desk.page_of(desk.person()) for _ in range(2)]
    for page in pages:
        page.goto(desk.queue)
        press(page, "n")
    for _ in range(2):
        first, second = map(case_of, pages)
        assert first != second
        for page in pages:
            press(page, "2")


def test_a_crowd_at_once_decides_each_case_once(desk: Desk) -> None:
    desk.file_pairs(CASES)
    people = [desk.person() for _ in range(MANY)]
    visitors = [desk.visitor(person) for person in people]

    def work(visitor: Visitor) -> Counter[str]:
        done: Counter[str] = Counter()
        while (path := visitor.next(desk.use_case)) != "/queue":
            done[path] += visitor.vote(path, "biased").status_code == 303
        return done

    with ThreadPoolExecutor(MANY) as pool:
        done = sum(pool.map(work, visitors), Counter[str]())
    for visitor in visitors:
        visitor.__exit__(None, None, None)
    assert {filed.state for filed in desk.records()} == {CaseState.CLOSED}
    assert [len(filed.votes) for filed in desk.records()] == [1] * CASES
    assert set(done) == {f"/case/{filed.case.id}" for filed in desk.records()}
    assert [overlaps(list(desk.audit(filed.case.id))) for filed in desk.records()] == [[]] * CASES


def test_a_case_in_other_hands_can_be_read_and_not_decided(desk: Desk) -> None:
    (case,) = desk.file_pairs(1)
    holder, thief = desk.person(), desk.person()
    with desk.visitor(holder) as one, desk.visitor(thief) as two:
        path = one.next(desk.use_case)
        answer = two.vote(path, "biased")
        assert answer.status_code == 409
        assert two.post(f"{path}/skip", {"csrf": two.token}).status_code < 500
        assert one.vote(path, "not_different").status_code == 303
    (filed,) = desk.records()
    assert [(vote.reviewer, vote.verdict) for vote in filed.votes] == [
        (holder.name, "not_different")
    ]
    assert case.id == filed.case.id


def test_a_page_says_who_has_the_case_open(desk: Desk) -> None:
    (case,) = desk.file_pairs(1)
    holder = desk.person()
    page = desk.page_of(desk.person())
    with desk.visitor(holder) as visitor:
        visitor.next(desk.use_case)
        page.goto(f"{desk.origin}/case/{case.id}")
        expect(page.locator("main")).to_contain_text(f"{holder.name} is deciding this case")
        assert page.locator("#verdicts").count() == 0


def test_one_person_with_many_requests_at_once_has_one_vote(desk: Desk) -> None:
    (case,) = desk.file_pairs(1, reviewers=3)
    with desk.visitor(desk.person()) as visitor:
        path, token = visitor.next(desk.use_case), visitor.token

        def send(verdict: str) -> int:
            return visitor.post(f"{path}/vote", {"csrf": token, "verdict": verdict}).status_code

        with ThreadPoolExecutor(MANY) as pool:
            answers = Counter(pool.map(send, ["biased"] * 6 + ["unsure"] * 6))
    (filed,) = desk.records()
    assert len(filed.votes) == 1
    assert [entry.event for entry in desk.audit(case.id)].count("voted") == 1
    assert set(answers) <= {303, 409}


def test_an_adjudicator_holds_no_case_against_others(desk: Desk) -> None:
    (case,) = desk.file_pairs(1, reviewers=2)
    with desk.visitor(desk.person()) as one, desk.visitor(desk.person()) as two:
        for visitor, verdict in ((one, "biased"), (two, "unsure")):
            visitor.vote(visitor.next(desk.use_case), verdict)
    judges = [desk.person(Role.ADJUDICATOR) for _ in range(2)]
    visitors = [desk.visitor(judge) for judge in judges]

    def settle(visitor: Visitor) -> int:
        fields = {"csrf": visitor.token, "verdict": "biased"}
        return visitor.post(f"/case/{case.id}/adjudicate", fields).status_code

    with ThreadPoolExecutor(2) as pool:
        answers = sorted(pool.map(settle, visitors))
    for visitor in visitors:
        visitor.__exit__(None, None, None)
    assert answers[0] == 303
    assert answers[1] == 409
    assert [entry.event for entry in desk.audit(case.id)].count("closed") == 1
