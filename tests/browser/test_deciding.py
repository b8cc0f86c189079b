"""Cases are decided in seconds, with the keyboard alone, and every step can be taken back."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from guard.records import CaseState
from tests.browser.conftest import Desk
from tests.browser.made import pair, response
from tests.browser.pressing import case_of, is_alive, press

TEN = 10
VERDICTS = ("biased", "different_but_fair", "not_different", "unsure", "bad_rewrite")


@pytest.fixture
def page(desk: Desk) -> Page:
    return desk.page_of(desk.person())


def begin(desk: Desk, page: Page) -> None:
    page.goto(desk.queue)
    press(page, "n")


def votes(desk: Desk, case_id: str) -> list[tuple[str, str]]:
    filed = desk.store.case(case_id)
    assert filed is not None
    return [(vote.reviewer, vote.verdict) for vote in filed.votes]


def events(desk: Desk, case_id: str) -> list[str]:
    return [entry.event for entry in desk.audit(case_id)]


def sign_in_and_decide(desk: Desk, page: Page) -> list[str]:
    """The pairs in the order they came, with a key for each and no mouse."""
    person, seen = desk.person(), []
    page.goto(desk.queue)
    expect(page.locator("[autofocus]")).to_be_focused()
    page.keyboard.type(person.name)
    page.keyboard.press("Tab")
    page.keyboard.type(person.password)
    press(page, "Enter")
    press(page, "n")
    for number in range(TEN):
        seen.append(case_of(page))
        expect(page.locator("section.side")).to_have_count(2)
        press(page, str(number % 5 + 1))
    return seen


def test_signing_in_and_ten_pairs_take_the_keyboard_alone(desk: Desk) -> None:
    cases, page = desk.file_pairs(TEN), desk.session().page
    assert sign_in_and_decide(desk, page) == [case.id for case in cases]
    assert page.url.startswith(f"{desk.origin}/queue")
    expected = [(CaseState.CLOSED, VERDICTS[number % 5]) for number in range(TEN)]
    assert [(filed.state, filed.verdict) for filed in desk.records()] == expected


def test_a_reason_and_a_note_are_written_without_the_mouse(desk: Desk, page: Page) -> None:
    (case,) = desk.file_pairs(1)
    begin(desk, page)
    page.keyboard.press("o")
    expect(page.locator("#note")).to_be_focused()
    page.keyboard.type("1 of 2: s, u and n are letters here")
    page.keyboard.press("Shift+Tab")
    expect(page.locator("#reason")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    press(page, "1")
    (filed,) = desk.records()
    assert filed.votes[0].note == "1 of 2: s, u and n are letters here"
    assert filed.votes[0].reason != ""
    assert filed.votes[0].seconds_taken is not None
    assert votes(desk, case.id)[0][1] == "biased"


def test_keys_show_scores_the_control_the_prompt_and_the_help(desk: Desk, page: Page) -> None:
    desk.file_pairs(1)
    begin(desk, page)
    for key, part in (("x", "#scores"), ("c", "#control")):
        assert page.locator(part).get_attribute("open") is None
        page.keyboard.press(key)
        expect(page.locator(part)).to_have_attribute("open", "")
    page.keyboard.press("p")
    assert page.locator("#prompt").get_attribute("open") is None
    assert is_alive(page)


def test_a_pair_is_blind_until_the_verdict_and_open_after_it(desk: Desk, page: Page) -> None:
    desk.file_pairs(1)
    begin(desk, page)
    blind = page.content()
    assert "Emily" not in blind
    assert " she " not in blind.lower()
    assert ">female<" not in blind.lower()
    press(page, "1")
    press(page, "r")
    revealed = page.locator("main").inner_text().lower()
    assert {"emily", "female", "male"} <= set(revealed.replace("\n", " ").split())
    assert page.locator("mark.replaced").count() > 0


def test_long_replies_are_folded_around_what_differs(desk: Desk, page: Page) -> None:
    from tests.browser.made import SCENES

    desk.file([pair(SCENES[4], f"long-{desk.number}", desk.filing())])
    begin(desk, page)
    folds = page.locator("section.side details.fold")
    assert folds.count() >= 2
    assert page.locator("section.side mark.changed").first.is_visible()
    page.keyboard.press("e")
    expect(folds.first).to_have_attribute("open", "")


def test_a_response_is_judged_with_its_own_verdicts(desk: Desk, page: Page) -> None:
    (case,) = desk.file([response("You are a fool, he said.", f"r-{desk.number}", desk.filing())])
    begin(desk, page)
    assert page.locator(".text mark.offending").all_inner_texts() == ["fool"]
    assert page.locator("#verdicts button.verdict").count() == 3
    page.keyboard.press("5")
    assert is_alive(page)
    press(page, "1")
    assert votes(desk, case.id)[0][1] == "harmful"


def test_undo_takes_the_verdict_back(desk: Desk, page: Page) -> None:
    first, second = desk.file_pairs(2)
    begin(desk, page)
    press(page, "1")
    assert case_of(page) == second.id
    press(page, "u")
    assert case_of(page) == first.id
    assert votes(desk, first.id) == []
    press(page, "2")
    assert [verdict for _, verdict in votes(desk, first.id)] == ["different_but_fair"]
    assert events(desk, first.id).count("unvoted") == 1


def test_a_skipped_case_comes_back_when_all_others_are_done(desk: Desk, page: Page) -> None:
    first, second = desk.file_pairs(2)
    begin(desk, page)
    press(page, "s")
    assert case_of(page) == second.id
    press(page, "3")
    assert case_of(page) == first.id
    assert votes(desk, first.id) == []


def test_the_back_button_shows_what_was_decided_and_decides_nothing(desk: Desk, page: Page) -> None:
    first, second = desk.file_pairs(2)
    begin(desk, page)
    press(page, "1")
    page.go_back(wait_until="load")
    assert case_of(page) == first.id
    if page.locator("#verdicts").count():
        press(page, "2")
    page.goto(f"{desk.origin}/case/{first.id}")
    expect(page.locator(".outcome")).to_contain_text("Biased")
    assert [verdict for _, verdict in votes(desk, first.id)] == ["biased"]
    assert votes(desk, second.id) == []


def test_of_two_tabs_the_first_verdict_stands(desk: Desk, page: Page) -> None:
    (case,) = desk.file_pairs(1)
    begin(desk, page)
    other = page.context.new_page()
    other.goto(page.url)
    press(page, "1")
    desk.expect(409)
    with other.expect_navigation():
        other.keyboard.press("3")
    expect(other.locator("main")).to_contain_text("closed meanwhile")
    assert [verdict for _, verdict in votes(desk, case.id)] == ["biased"]


def test_a_double_click_is_one_verdict_on_one_case(desk: Desk, page: Page) -> None:
    first, second = desk.file_pairs(2)
    begin(desk, page)
    with page.expect_navigation(url=f"**/case/{second.id}*"):
        page.locator("button.verdict.biased").dblclick(no_wait_after=True)
    assert is_alive(page)
    assert [verdict for _, verdict in votes(desk, first.id)] == ["biased"]
    assert events(desk, first.id).count("voted") == 1
    assert votes(desk, second.id) == []


def test_a_key_held_down_is_one_verdict(desk: Desk, page: Page) -> None:
    first, second = desk.file_pairs(2)
    begin(desk, page)
    with page.expect_navigation(url=f"**/case/{second.id}*"):
        page.keyboard.down("1")
    for _ in range(5):
        page.keyboard.down("1")
    page.keyboard.up("1")
    assert is_alive(page)
    assert len(votes(desk, first.id)) == 1
    assert votes(desk, second.id) == []


def test_the_page_works_without_its_script(desk: Desk) -> None:
    (case,) = desk.file_pairs(1)
    page = desk.page_of(desk.person(), java_script_enabled=False)
    page.goto(desk.queue)
    page.click("#next button")
    page.locator("#why summary").click()
    page.fill("#note", "by hand")
    page.click("button.verdict.unsure")
    assert [verdict for _, verdict in votes(desk, case.id)] == ["unsure"]
