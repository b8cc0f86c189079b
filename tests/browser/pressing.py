"""What a person does at the keyboard."""

from __future__ import annotations

from playwright.sync_api import Page


def press(page: Page, key: str) -> None:
    """A key that leads to another page, or to this one anew."""
    with page.expect_navigation(wait_until="load"):
        page.keyboard.press(key)


def case_of(page: Page) -> str:
    """The id of the case that is shown; empty on any other page."""
    _, _, rest = page.url.partition("/case/")
    return rest.partition("?")[0]


def is_alive(page: Page) -> bool:
    """Whether the page answers keys: the help opens and closes."""
    page.keyboard.press("?")
    page.locator("#keys").wait_for(state="visible")
    page.keyboard.press("Escape")
    page.locator("#keys").wait_for(state="hidden")
    return True
