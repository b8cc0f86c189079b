"""Everybody can use every page: axe finds nothing serious, in any size, light or dark.

EVENGUARD_SCREENSHOTS names a folder for a picture of every page.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from importlib.resources import files
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from guard.review.accounts import Role
from tests.browser.chromium import Chromium
from tests.browser.conftest import Desk, Served
from tests.browser.inspecting import foreign
from tests.browser.made import CLAIMED, SCENES, pair, response
from tests.planted import plant_bias
from tests.repeats import repeats

STORES = ("sqlite",)
DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
LOOKS: dict[str, tuple[Any, Any]] = {
    "desktop-light": (DESKTOP, "light"),
    "phone-dark": (PHONE, "dark"),
    "desktop-dark": (DESKTOP, "dark"),
    "phone-light": (PHONE, "light"),
}
SEEN = dict(islice(LOOKS.items(), repeats(2, soak=4)))
"""Both widths and both colour schemes; the other two combinations under `make soak`."""
PARTS = 3
RUN = "() => axe.run(document, {resultTypes: ['violations']})"


@pytest.fixture(scope="module")
def axe() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def findings(page: Page, axe: str) -> list[str]:
    """What axe calls serious or critical, with the elements."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(axe)
    result: dict[str, Any] = page.evaluate(RUN)
    assert result["testEngine"]["name"] == "axe-core"
    return [
        f"{one['id']} ({one['impact']}): {node['html'][:200]} {node['failureSummary'][-200:]}"
        for one in result["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"]
    ]


@pytest.fixture(scope="module")
def addresses(served: Served, chromium: Chromium) -> dict[str, str]:
    """Every page, with cases in every state; names to paths."""
    desk = served.desk(chromium)
    return dict(pages(desk, story(desk)))


def story(desk: Desk) -> dict[str, str]:
    """Cases in every state; names to ids."""
    plant_bias(desk.store, desk.use_case)
    filing = desk.filing()
    pairs = desk.file_pairs(12)
    long = pair(SCENES[4], f"long-{desk.number}", filing)
    text = "You are a fool and a lazy one at that, she said. The rest of it is fine."
    single = response(text, f"single-{desk.number}", filing, prompt="What did she say to him?")
    two = desk.filing(reviewers=2)
    settled, disputed = (pair(SCENES[at], f"two-{desk.number}-{at}", two) for at in (0, 2))
    desk.file([long, single, settled, disputed])
    ann, ben = desk.person(name="ann"), desk.person(name="ben")
    with desk.visitor(ann) as one, desk.visitor(ben) as other:
        for case, verdicts in ((settled, ("biased", "biased")), (disputed, ("biased", "unsure"))):
            for visitor, verdict in zip((one, other), verdicts, strict=True):
                visitor.get(f"/case/{case.id}")
                note = "The first reply puts her down; the second one helps."
                visitor.vote(f"/case/{case.id}", verdict, note=note, reason="tone")
        for case in pairs[:6]:
            one.get(f"/case/{case.id}")
            one.vote(f"/case/{case.id}", "biased" if case is pairs[0] else "different_but_fair")
        other.get(f"/case/{pairs[10].id}")
    return {
        "pair-blind": pairs[7].id,
        "pair-conversation": pairs[6].id,
        "pair-refused": pairs[8].id,
        "pair-long": long.id,
        "pair-in-other-hands": pairs[10].id,
        "response": single.id,
        "disputed": disputed.id,
        "decided": settled.id,
    }


def pages(desk: Desk, cases: dict[str, str]) -> Iterator[tuple[str, str]]:
    here = f"use_case={desk.use_case}"
    yield "queue", f"/queue?{here}"
    yield "queue-closed", f"/queue?{here}&state=closed"
    yield "queue-empty", "/queue?use_case=nothing-here"
    yield from ((name, f"/case/{case}") for name, case in cases.items())
    yield "adjudication", f"/adjudication?{here}"
    yield "statistics", f"/statistics?{here}"
    yield "statistics-empty", "/statistics?use_case=nothing-here"
    yield "findings", f"/findings?{here}"
    yield "findings-empty", "/findings?use_case=nothing-here"
    yield from ((name, f"/{name}") for name in ("account", "keys", "people", "export", "audit"))
    yield "not-found", "/case/nothing"


def opened_wide(page: Page) -> None:
    """Everything that can be unfolded, so that it is looked at too."""
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")


@pytest.fixture
def picture(request: pytest.FixtureRequest) -> Callable[[Page, str], None]:
    """Keeps a picture where a folder for them is named."""
    folder = os.environ.get("EVENGUARD_SCREENSHOTS")

    def keep(page: Page, name: str) -> None:
        if folder:
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    return keep


def looks(page: Page) -> Iterator[str]:
    """The page in one look after the other, so that each page is asked for once."""
    for look, (viewport, scheme) in SEEN.items():
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme)
        yield look


@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
def test_every_page(
    desk: Desk,
    addresses: dict[str, str],
    axe: str,
    picture: Callable[[Page, str], None],
    part: int,
) -> None:
    page, found = admins(desk), list[str]()
    desk.expect(404)
    for name, path in list(addresses.items())[part::PARTS]:
        page.goto(f"{desk.origin}{path}")
        for look in looks(page):
            picture(page, f"{name}-{look}")
            found += [f"{name}, {look}: {one}" for one in too_wide(page)]
        opened_wide(page)
        for look in looks(page):
            found += [f"{name}, {look}: {one}" for one in findings(page, axe)]
    assert not found, "\n".join(found)


@pytest.mark.soak
def test_the_door_and_the_help(desk: Desk, axe: str, picture: Callable[[Page, str], None]) -> None:
    door, found = desk.session(viewport=DESKTOP).page, list[str]()
    door.goto(f"{desk.origin}/sign-in")
    for look in looks(door):
        found += findings(door, axe)
        picture(door, f"sign-in-{look}")
    page = admins(desk)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    for look in looks(page):
        found += findings(page, axe)
        picture(page, f"help-{look}")
    assert not found, "\n".join(found)


def test_sentences_of_one_reply_alone(
    desk: Desk, axe: str, picture: Callable[[Page, str], None]
) -> None:
    """Before the vote and after: in every look readable, narrow enough, and said in words."""
    (case,) = desk.file([pair(CLAIMED, f"claims-{desk.number}", desk.filing(), claims=True)])
    page = desk.page_of(desk.person(), viewport=DESKTOP)
    found = list[str]()
    for name, only in (("blind", "said only to [AB]"), ("open", "said only to (fe)?male")):
        page.goto(f"{desk.origin}/case/{case.id}")
        expect(page.locator(".claims .stands").filter(has_text=re.compile(only))).to_have_count(5)
        expect(page.locator(".claims .contradicted")).to_have_count(2)
        found += foreign(page)
        shown = page.locator(".claims").all_inner_texts()
        assert ("Emily" in " ".join(shown) or "She" in " ".join(shown)) == (name == "open")
        for look in looks(page):
            picture(page, f"claims-{name}-{look}")
            found += [f"{name}, {look}: {one}" for one in (*too_wide(page), *findings(page, axe))]
        if name == "blind":
            with page.expect_navigation():
                page.keyboard.press("1")
    assert not found, "\n".join(found)


def admins(desk: Desk) -> Page:
    """The queue as an administrator sees it, in a window whose size can be changed."""
    return desk.page_of(desk.person(Role.ADMIN, name="admin"), viewport=DESKTOP)


def too_wide(page: Page) -> list[str]:
    """A page that has to be moved sideways to be read."""
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [f"{wide} pixels too wide"] if wide > 0 else []


def test_focus_can_be_seen_and_goes_through_the_page_in_order(desk: Desk) -> None:
    (case,) = desk.file_pairs(1)
    page = desk.page_of(desk.person())
    page.goto(f"{desk.origin}/case/{case.id}")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        about = page.evaluate(
            """() => { const one = document.activeElement, style = getComputedStyle(one);
            return [one.outerHTML.slice(0, 80), one.getBoundingClientRect().top + scrollY,
                style.outlineStyle !== 'none' || style.boxShadow !== 'none']; }"""
        )
        if about[0].startswith("<body"):
            break
        seen.append(about)
    assert len(seen) > 8
    assert [html for html, _, visible in seen if not visible] == []


def test_what_happened_is_said_to_screen_readers(desk: Desk) -> None:
    desk.file_pairs(2)
    page = desk.page_of(desk.person())
    page.goto(desk.queue)
    with page.expect_navigation():
        page.keyboard.press("n")
    with page.expect_navigation():
        page.keyboard.press("1")
    expect(page.get_by_role("status").first).to_contain_text("Recorded")
