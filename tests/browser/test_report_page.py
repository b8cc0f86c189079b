"""The report of an assessment in a browser: it asks nobody for anything, and everybody can read it.

EVENGUARD_SCREENSHOTS names a folder for a picture of the page in every look.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from guard.render.report_page import report_page
from tests.browser.chromium import Chromium, Session
from tests.browser.payloads import PAYLOADS
from tests.browser.test_accessible import axe, findings, looks, opened_wide, picture, too_wide
from tests.unit.render.made import results, with_texts

__all__ = ["axe", "picture"]
FILES = "file://"


@pytest.fixture
def session(chromium: Chromium) -> Iterator[Session]:
    with chromium.limited():
        made = chromium.take(FILES, viewport={"width": 1280, "height": 860})
        yield made
        chromium.give_back(made)
    assert made.watch.quiet() == []


def saved(folder: Path, text: str) -> str:
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    return path.as_uri()


def test_the_report_in_every_look(
    session: Session, tmp_path: Path, axe: str, picture: Callable[[Page, str], None]
) -> None:
    page, asked, found = session.page, list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    address = saved(tmp_path, report_page(results()))
    page.goto(address)
    for look in looks(page):
        picture(page, f"report-{look}")
        found += [f"{look}: {one}" for one in too_wide(page)]
    opened_wide(page)
    for look in looks(page):
        picture(page, f"report-open-{look}")
        found += [f"{look}: {one}" for one in (*too_wide(page), *findings(page, axe))]
    assert not found, "\n".join(found)
    assert asked == [address]


def test_a_case_opens_and_is_masked_without_scripts(session: Session, tmp_path: Path) -> None:
    page = session.page
    page.goto(saved(tmp_path, report_page(results())))
    assert page.evaluate("() => document.scripts.length") == 0
    group = page.locator("details.case .sides .who > span").first
    expect(group).to_be_hidden()
    page.locator("details.case > summary").first.click()
    expect(group).to_be_visible()
    page.locator("#mask").check()
    expect(group).to_be_hidden()


def test_hostile_texts_do_nothing(session: Session, tmp_path: Path) -> None:
    payload = " ".join(one[:2000] for one in PAYLOADS)
    hostile = with_texts(results(), lambda text: f"{payload} {text[:40]}")
    session.page.goto(saved(tmp_path, report_page(hostile)))
    assert session.page.evaluate("() => document.scripts.length") == 0
    assert session.page.evaluate("() => window.__got ?? null") is None
