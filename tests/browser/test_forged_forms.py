"""No page of somebody else does anything in the name of who is signed in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from playwright.sync_api import Page

from guard.review.accounts import Role
from tests.browser.conftest import Desk, Person
from tests.browser.elsewhere import Elsewhere
from tests.browser.ways import FIELDS, at, posts

STORES = ("sqlite",)
SITES = ("127.0.0.1", "localhost")
"""Another port of the same host, to which even strict cookies are sent; and another site."""
KINDS = ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain")


@pytest.fixture
def elsewhere() -> Iterator[Elsewhere]:
    server = Elsewhere()
    yield server
    server.close()


def standing(desk: Desk) -> str:
    """All that anybody could have changed.

    Until when a case is held is left out: to be led to a case that one has open holds it longer,
    as any link to it does.
    """
    people = [repr(user) for user in desk.people.users()]
    cases = [repr(replace(filed, held_until=None)) for filed in desk.records()]
    trail = [repr(one) for filed in desk.records() for one in desk.audit(filed.case.id)]
    return json.dumps([people, cases, trail, repr(desk.store.accounts())])


def victim(desk: Desk, elsewhere: Elsewhere) -> tuple[Person, Page, str]:
    """An administrator at work on a case, in a browser that goes anywhere."""
    desk.file_pairs(2)
    person = desk.person(Role.ADMIN)
    page = desk.page_of(person)
    page.goto(desk.queue)
    page.locator("#next button").click()
    page.wait_for_url("**/case/*")
    desk.sessions[-1].watch.origins.update(f"http://{site}:{elsewhere.port}" for site in SITES)
    return person, page, page.url.partition("/case/")[2].partition("?")[0]


def is_signed_in(desk: Desk, page: Page) -> bool:
    page.goto(f"{desk.origin}/account")
    return page.url.endswith("/account")


@pytest.mark.parametrize("site", SITES)
def test_a_form_of_another_page_changes_nothing(
    desk: Desk, elsewhere: Elsewhere, site: str
) -> None:
    """Who comes from another site is led on by a page that asks once more by itself.

    To close a tab, or to lead it elsewhere, while it asks would never end on a busy machine.
    """
    _, page, case_id = victim(desk, elsewhere)
    with desk.visitor(desk.person()) as attacker:
        token = attacker.token
    before, answers = standing(desk), set()
    tab, arrived = page.context.new_page(), re.compile(f"{desk.origin}/(?!sign-in\\?next=)")
    for number, way in enumerate(posts()):
        fields = {**FIELDS[way.path], "csrf": token}
        kind = KINDS[number % len(KINDS)]
        elsewhere.sends_a_form(f"{desk.origin}{at(way, case_id)}", fields, kind=kind)
        tab.goto(f"http://{site}:{elsewhere.port}/")
        with tab.expect_response(lambda one: one.request.method == "POST") as response:
            tab.click("button")
        answers.add(response.value.status)
        tab.wait_for_url(arrived)
    assert standing(desk) == before
    assert answers <= {303, 403, 415}
    assert is_signed_in(desk, page)
    desk.forget()


@pytest.mark.parametrize("mode", ["no-cors", "cors"])
@pytest.mark.parametrize("site", SITES)
def test_a_script_of_another_page_changes_and_reads_nothing(
    desk: Desk, elsewhere: Elsewhere, site: str, mode: str
) -> None:
    _, page, case_id = victim(desk, elsewhere)
    before = standing(desk)
    forms = {f"{desk.origin}{at(way, case_id)}": FIELDS[way.path] for way in posts()}
    elsewhere.fetches(forms, mode=mode)
    page.goto(f"http://{site}:{elsewhere.port}/")
    page.locator("#done", has_text="]").wait_for()
    read = json.loads(page.locator("#done").inner_text())
    assert standing(desk) == before
    assert len(read) == len(posts())
    assert set(read) <= {"refused", ""}
    assert is_signed_in(desk, page)
    desk.forget()


@pytest.mark.parametrize("site", SITES)
def test_a_link_from_elsewhere_leads_here_and_signs_nobody_out(
    desk: Desk, elsewhere: Elsewhere, site: str
) -> None:
    _, page, case_id = victim(desk, elsewhere)
    for path in ("/queue", f"/case/{case_id}"):
        elsewhere.page = f'<a href="{desk.origin}{path}">the review page</a>'
        page.goto(f"http://{site}:{elsewhere.port}/")
        page.click("a")
        page.wait_for_url(f"**{path}")
        page.locator("#sign-out").wait_for()
    assert is_signed_in(desk, page)


def test_no_page_of_ours_is_shown_in_a_frame(desk: Desk, elsewhere: Elsewhere) -> None:
    _, page, case_id = victim(desk, elsewhere)
    for path in ("/queue", f"/case/{case_id}", "/people", "/sign-in"):
        elsewhere.frames(f"{desk.origin}{path}")
        page.goto(f"http://127.0.0.1:{elsewhere.port}/")
        (frame,) = page.main_frame.child_frames
        assert "csrf" not in frame.content()
    desk.forget()


def test_a_form_without_the_token_of_its_session_changes_nothing(desk: Desk) -> None:
    (case,) = desk.file_pairs(1)
    with desk.visitor(desk.person(Role.ADMIN)) as one, desk.visitor(desk.person()) as other:
        one.get(f"/case/{case.id}")
        before = standing(desk)
        tokens = ("", "0" * 64, other.token, one.token[:-1], one.token + "0", "\u0660" * 64)
        for way, token in product(posts(), tokens):
            answer = one.post(at(way, case.id), {**FIELDS[way.path], "csrf": token})
            assert answer.status_code == 403, (way.path, token)
            assert standing(desk) == before, (way.path, token)


FOREIGN_HEADERS = (
    {"origin": "http://evil.example"},
    {"origin": "http://127.0.0.1:1"},
    {"origin": "https://127.0.0.1"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"host": "evil.example"},
)


def test_a_stolen_token_is_worth_nothing_from_another_origin(desk: Desk) -> None:
    (case,) = desk.file_pairs(1)
    with desk.visitor(desk.person(Role.ADMIN)) as visitor:
        visitor.get(f"/case/{case.id}")
        before = standing(desk)
        for way, headers in product(posts(), FOREIGN_HEADERS):
            fields = {**FIELDS[way.path], "csrf": visitor.token}
            answer = visitor.post(at(way, case.id), fields, **headers)
            assert answer.status_code in {403, 421}, (way.path, headers)
            assert standing(desk) == before, (way.path, headers)


def test_only_plain_forms_are_read(desk: Desk) -> None:
    (case,) = desk.file_pairs(1)
    with desk.visitor(desk.person(Role.ADMIN)) as visitor:
        before = standing(desk)
        for way, kind in product(posts(), [*KINDS[1:], "application/json"]):
            fields = {**FIELDS[way.path], "csrf": visitor.token}
            answer = visitor.post(at(way, case.id), fields, **{"content-type": kind})
            assert answer.status_code == 415, (way.path, kind)
            assert standing(desk) == before, (way.path, kind)
