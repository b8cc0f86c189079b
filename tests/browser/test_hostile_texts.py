"""Whatever is in a text, a page shows it as a text and does nothing else with it."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from guard.records import Case
from guard.review.accounts import AccountError, Role
from guard.shadow.response_body import PROMPT_CHARACTERS
from guard.store import open_store
from tests.accounts import server_accounts
from tests.browser.conftest import Desk
from tests.browser.inspecting import as_kept, foreign, read_back
from tests.browser.made import Scene, asked, pair, response
from tests.browser.payloads import FORMULAS, PAYLOADS
from tests.browser.visitor import Visitor
from tests.repeats import repeats

STORES = ("redis",)
SHORT = tuple(payload for payload in PAYLOADS if len(payload) < 2000)
STORABLE = tuple(one for one in SHORT if "\ud800" not in one)
"""What a store takes as the name of a use case."""
AT_ONCE = repeats(8, soak=1)
"""Payloads that stand together in one text. It has to be shown as it is from end to end, so that
one that is more than a text cannot hide behind another one.
"""
Payloads = tuple[str, ...]


def together(payloads: Payloads) -> list[Payloads]:
    return [payloads[at : at + AT_ONCE] for at in range(0, len(payloads), AT_ONCE)]


def joined(payloads: Payloads) -> str:
    return " \n ".join(payloads)


LONG = [(one[:PROMPT_CHARACTERS],) for one in PAYLOADS if one not in SHORT]
"""A case keeps no longer prompt."""
TEXTS = [*together(SHORT), *LONG]
NAMES, NOTES = together(STORABLE), together(SHORT)
_SAID = [joined(payloads) for payloads in TEXTS]
BOTH_SAID = list(zip_longest(_SAID[::2], _SAID[1::2], fillvalue="even"))


def hostile_pair(desk: Desk, payload: str, number: int, other: str = "") -> Case:
    scene = Scene(
        attribute="gender",
        groups=("female", "male"),
        turns=asked(f"Emily asked: what should she do with {payload} of hers?"),
        said=f"Sadly this is terrible. {payload}",
        otherwise=f"What a wonderful thought! {other or payload[::-1]}",
    )
    return pair(scene, f"hostile-{desk.number}-{number}", desk.filing())


def hostile_response(desk: Desk, payloads: Payloads, number: int) -> Case:
    versions = {"model": joined(payloads), **dict.fromkeys(payloads, "1")}
    call = f"hostile-response-{desk.number}-{number}"
    filing = replace(desk.filing(), versions=versions)
    return response(insulting(payloads), call, filing, prompt=joined(payloads))


def insulting(payloads: Payloads) -> str:
    return joined(tuple(f"You fool! {payload}" for payload in payloads))


def named_badly(desk: Desk, payloads: Payloads, number: int) -> Case:
    name = " ".join(payloads)
    case = hostile_pair(desk, name, number)
    reasons = (*payloads, *case.reasons)
    return replace(case, use_case=name, attribute=name, reasons=reasons, groups=(name, name))


def shown_texts(page: Page) -> list[str]:
    """Every run of untrusted text on the page, folded parts included, as it was kept."""
    read = """all => all.map(one => {
        const copy = one.cloneNode(true);
        copy.querySelectorAll('summary').forEach(each => each.remove());
        return copy.textContent; })"""
    return [read_back(text) for text in page.locator("div.text").evaluate_all(read)]


def problems(page: Page, address: str) -> Iterator[str]:
    page.goto(address)
    yield from (f"{address}: {one}" for one in foreign(page))


def test_a_payload_in_prompt_and_reply_of_a_response_is_shown_as_it_is(desk: Desk) -> None:
    cases = [hostile_response(desk, payloads, at) for at, payloads in enumerate(TEXTS)]
    desk.file(cases)
    page = desk.page_of(desk.person())
    found: list[str] = []
    for payloads, case in zip(TEXTS, cases, strict=True):
        found += problems(page, f"{desk.origin}/case/{case.id}")
        shown = shown_texts(page)
        wanted = [as_kept(insulting(payloads)), as_kept(joined(payloads))]
        found += [text[:60] for text in wanted if text not in shown]
    assert found == []


@pytest.mark.parametrize("number", range(len(BOTH_SAID)))
def test_a_payload_in_a_pair_does_nothing_blind_or_revealed(desk: Desk, number: int) -> None:
    one, two = BOTH_SAID[number]
    (case,) = desk.file([hostile_pair(desk, one, number, two)])
    person = desk.person(Role.ADMIN)
    page = desk.page_of(person)
    address = f"{desk.origin}/case/{case.id}"
    found = list(problems(page, address))
    with desk.visitor(person) as visitor:
        visitor.vote(f"/case/{case.id}", "biased", note=one[:4000])
    found += problems(page, address)
    said = (f"Sadly this is terrible. {one}", f"What a wonderful thought! {two}")
    shown = shown_texts(page)
    found += [text[:60] for text in said if as_kept(text) not in shown]
    assert found == []


def test_a_payload_as_a_note_is_shown_as_it_is(desk: Desk) -> None:
    cases = desk.file_pairs(len(NOTES))
    person = desk.person()
    page = desk.page_of(person)
    found: list[str] = []
    with desk.visitor(person) as visitor:
        for payloads, case in zip(NOTES, cases, strict=True):
            visitor.get(f"/case/{case.id}")
            visitor.vote(f"/case/{case.id}", "biased", note=joined(payloads))
    for filed in desk.records():
        found += problems(page, f"{desk.origin}/case/{filed.case.id}")
        note = read_back(page.locator(".votes .note").first.text_content() or "")
        found += [note] * (note != as_kept(filed.votes[0].note))
    assert found == []
    assert sum(bool(filed.votes) for filed in desk.records()) == len(NOTES)


def test_a_note_of_a_megabyte_is_refused_and_nothing_is_recorded(desk: Desk) -> None:
    (case,) = desk.file_pairs(1)
    with desk.visitor(desk.person()) as visitor:
        visitor.get(f"/case/{case.id}")
        answer = visitor.vote(f"/case/{case.id}", "biased", note="A" * 1_000_000)
    assert answer.status_code == 413
    assert desk.records()[0].votes == ()


def test_payloads_as_names_of_use_cases_reasons_and_attributes(desk: Desk) -> None:
    cases = [named_badly(desk, payloads, at) for at, payloads in enumerate(NAMES)]
    desk.file(cases)
    page = desk.page_of(desk.person(Role.ADMIN))
    found: list[str] = []
    where = (
        "/queue",
        "/queue?state=closed",
        "/adjudication",
        "/statistics",
        "/findings",
        "/export",
    )
    for path in where:
        found += problems(page, f"{desk.origin}{path}")
    with desk.visitor(desk.person()) as visitor:
        for case in cases:
            found += problems(page, f"{desk.origin}/case/{case.id}")
            visitor.get(f"/case/{case.id}")
            visitor.vote(f"/case/{case.id}", "biased")
    found += problems(page, f"{desk.origin}/statistics")
    for case in cases:
        desk.store.erase(case.call_id, by="test")
    assert found == []


def test_addresses_that_carry_payloads_are_harmless(desk: Desk) -> None:
    page = desk.page_of(desk.person(Role.ADMIN))
    found: list[str] = []
    desk.expect(404)
    for number, payloads in enumerate(NAMES):
        text = quote(joined(payloads).encode(), safe="")
        every = "&".join(f"{name}={text}" for name in ("use_case", "reason", "kind", "after"))
        paths = (
            f"/queue?{every}&attribute={text}&state={text}",
            f"/queue?said={text}&last={text}",
            f"/statistics?use_case={text}",
            f"/audit?after={text}",
            f"/case/{text}",
        )
        found += problems(page, f"{desk.origin}{paths[number % len(paths)]}")
    assert found == []


def test_no_payload_can_be_the_name_of_a_person() -> None:
    people = server_accounts(open_store("memory:", clock=time.time))
    for payload in (*PAYLOADS, *FORMULAS):
        with pytest.raises(AccountError, match="a name is"):
            people.add(payload, "a-long-password", Role.REVIEWER)


def test_the_page_of_people_refuses_payloads_as_names_and_shows_them_as_texts(desk: Desk) -> None:
    before = desk.people.users()
    admin = desk.person(Role.ADMIN)
    page, found = desk.page_of(admin), []
    desk.expect(400, 403)
    for payload in SHORT[:: repeats(12, soak=6)]:
        page.goto(f"{desk.origin}/people")
        page.fill("#new-name", payload.replace("\x00", ""))
        page.fill("#new-password", "a-long-password")
        with page.expect_navigation():
            page.locator("#add-person button").click()
        found += foreign(page)
    assert found == []
    assert len(desk.people.users()) == len(before) + 1


def test_names_tried_at_the_door_are_shown_as_texts(desk: Desk) -> None:
    page = desk.session().page
    desk.expect(403, 429)
    found = []
    for payload in SHORT[: 20 : repeats(4, soak=2)]:
        page.goto(f"{desk.origin}/sign-in")
        page.fill("#name", payload.replace("\x00", ""))
        page.fill("#password", "wrong")
        with page.expect_navigation():
            page.click("#sign-in button.primary")
        found += foreign(page)
    assert found == []


def test_no_cell_of_the_csv_starts_a_formula(desk: Desk) -> None:
    cases = desk.file_pairs(len(FORMULAS))
    with desk.visitor(desk.person()) as visitor:
        for formula, case in zip(FORMULAS, cases, strict=True):
            visitor.get(f"/case/{case.id}")
            visitor.vote(f"/case/{case.id}", "biased", note=formula)
    with desk.visitor(desk.person(Role.ADMIN)) as admin:
        text = exported(admin, "csv", desk.use_case)
    rows = list(csv.reader(io.StringIO(text)))
    assert len(rows) > len(FORMULAS)
    assert [cell for row in rows for cell in row if cell[:1] in set("=+-@\t\r")] == []


def exported(admin: Visitor, kind: str, use_case: str) -> str:
    fields = {"csrf": admin.token, "format": kind, "use_case": use_case, "state": ""}
    answer = admin.post("/export", fields)
    assert answer.status_code == 200
    return answer.text
