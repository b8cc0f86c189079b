"""Two reviewers disagree, an adjudicator decides, the figures follow, and all of it is exported."""

from __future__ import annotations

import csv
import io
import json

from playwright.sync_api import Page, expect

from guard.records import CaseState
from guard.review.accounts import Role
from tests.browser.conftest import Desk
from tests.browser.pressing import case_of, press


def decide(desk: Desk, page: Page, *keys: str) -> list[str]:
    page.goto(desk.queue)
    press(page, "n")
    seen = []
    for key in keys:
        seen.append(case_of(page))
        press(page, key)
    return seen


def tile(desk: Desk, page: Page, name: str) -> str:
    """The big number with this name on the page of statistics of this test's use case."""
    page.goto(f"{desk.origin}/statistics?use_case={desk.use_case}")
    shown = page.locator(".tile", has=page.get_by_role("heading", name=name, exact=True))
    return shown.locator(".value").inner_text()


def export(page: Page, desk: Desk, kind: str, state: str = "") -> str:
    """What an administrator downloads."""
    page.goto(f"{desk.origin}/export")
    page.check(f"input[value={kind}]")
    page.select_option("#e-use-case", desk.use_case)
    page.select_option("#e-state", state)
    with page.expect_download() as download:
        page.click("#export button")
    return download.value.path().read_text(encoding="utf-8")


def test_a_disagreement_is_settled_counted_and_exported(desk: Desk) -> None:
    cases = desk.file_pairs(3, reviewers=2)
    ann, ben = desk.page_of(desk.person()), desk.page_of(desk.person())
    judge, admin = (
        desk.page_of(desk.person(Role.ADJUDICATOR)),
        desk.page_of(desk.person(Role.ADMIN)),
    )
    assert decide(desk, ann, "1", "1", "2") == [case.id for case in cases]
    assert tile(desk, judge, "Waiting") == "3"
    decide(desk, ben, "1", "3", "2")
    assert (tile(desk, judge, "Disputed"), tile(desk, judge, "Closed")) == ("1", "2")
    expect(judge.locator("main")).to_contain_text("Cohen's κ")

    judge.goto(f"{desk.origin}/adjudication?use_case={desk.use_case}")
    judge.keyboard.press("j")
    press(judge, "Enter")
    assert case_of(judge) == cases[1].id
    assert "biased" not in judge.locator("main .texts, .sides").first.inner_text().lower()
    press(judge, "r")
    expect(judge.locator("table.votes")).to_contain_text("Not different")
    judge.keyboard.press("o")
    judge.locator("#note").fill("the second reply is colder")
    judge.keyboard.press("Escape")
    press(judge, "1")
    assert [filed.state for filed in desk.records()] == [CaseState.CLOSED] * 3
    assert (tile(desk, judge, "Disputed"), tile(desk, judge, "Closed")) == ("0", "3")
    assert "revealed" in [entry.event for entry in desk.audit(cases[1].id)]

    lines = [json.loads(line) for line in export(admin, desk, "jsonl").splitlines()]
    assert [line["id"] for line in lines] == [case.id for case in cases]
    rows = list(csv.DictReader(io.StringIO(export(admin, desk, "csv"))))
    assert {case.id for case in cases} == {row["id"] for row in rows}
    allowed = [one for one in desk.forget() if "download" not in one]
    assert allowed == []


def test_what_is_undone_is_out_of_the_figures(desk: Desk) -> None:
    desk.file_pairs(1)
    page = desk.page_of(desk.person())
    decide(desk, page, "1")
    assert tile(desk, page, "Closed") == "1"
    page.goto(desk.queue)
    page.goto(f"{desk.origin}/case/{desk.records()[0].case.id}")
    press(page, "u")
    assert tile(desk, page, "Closed") == "0"
    assert desk.records()[0].votes == ()


def test_the_audit_tells_the_whole_story_of_a_case(desk: Desk) -> None:
    (case,) = desk.file_pairs(1, reviewers=2)
    ann, ben = desk.person(name="ann"), desk.person(name="ben")
    judge, admin = desk.person(Role.ADJUDICATOR), desk.person(Role.ADMIN)
    with desk.visitor(ann) as one, desk.visitor(ben) as two, desk.visitor(judge) as three:
        path = one.next(desk.use_case)
        one.vote(path, "biased")
        two.next(desk.use_case)
        two.vote(path, "not_different")
        three.post(f"{path}/adjudicate", {"csrf": three.token, "verdict": "unsure"})
    story = [(entry.actor, entry.event, entry.detail) for entry in desk.audit(case.id)]
    assert [one[:2] for one in story] == [
        ("guard", "opened"),
        (ann.name, "held"),
        (ann.name, "voted"),
        (ben.name, "held"),
        (ben.name, "voted"),
        (ben.name, "disputed"),
        (judge.name, "closed"),
    ]
    page = desk.page_of(admin)
    page.goto(f"{desk.origin}/case/{case.id}")
    page.locator("#audit summary").click()
    expect(page.locator("#audit li")).to_have_count(len(story))


def test_every_format_is_exported_with_every_case(desk: Desk) -> None:
    cases = desk.file_pairs(2)
    with desk.visitor(desk.person()) as visitor:
        for _ in cases:
            visitor.vote(visitor.next(desk.use_case), "biased", note="=1+1")
    admin = desk.page_of(desk.person(Role.ADMIN))
    for kind in ("jsonl", "csv", "argilla", "langfuse"):
        text = export(admin, desk, kind)
        assert all(case.id in text for case in cases), kind
    assert all(one.startswith("download ") for one in desk.forget())
