"""How much of the page strangers can take, and what those who work with it have all the same."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from httpx2 import ASGITransport, AsyncClient

from guard.errors import StoreError
from guard.review.accounts import AccountService, User
from guard.review_web.capacity import RETRY_SECONDS, BrowserKind, Capacity, ThreadShare
from tests.unit.review_web.visiting import HERE, PASSWORD, Browser, Site, said, site_of

STRANGERS = 60
PATIENCE_SECONDS = 60.0
"""For what must not wait at all: a test that fails ends."""


@pytest.fixture
def release(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """No password of a name that nobody has is checked until this is set."""
    released = threading.Event()
    checked = AccountService.check

    def check(self: AccountService, name: str, password: str) -> User | None:
        if name.startswith("made-up"):
            released.wait(PATIENCE_SECONDS)
        return checked(self, name, password)

    monkeypatch.setattr(AccountService, "check", check)
    yield released
    released.set()


@contextmanager
def full(share: ThreadShare) -> Iterator[None]:
    """While all places of a share are taken."""
    with ExitStack() as taken:
        while taken.enter_context(share.place()):
            pass
        yield


def visit(site: Site, browser: Browser) -> AsyncClient:
    """The same browser, for many requests at once."""
    return AsyncClient(
        transport=ASGITransport(site.app, client=("testclient", 50_000)),
        base_url=HERE,
        cookies=dict(browser.cookies),
    )


def form_of(browser: Browser, name: str) -> dict[str, str]:
    return {"csrf": browser.token("/sign-in"), "name": name, "password": PASSWORD}


def test_strangers_whose_passwords_wait_keep_nobody_else_waiting(release: threading.Event) -> None:
    capacity = Capacity(checks=ThreadShare(1, waiting=8))  # without a limit of time
    site = site_of(capacity=capacity, tries_per_address=10**9)  # as where addresses are not known
    ben, known, stranger = site.browser("ben"), site.browser("cleo"), site.browser()
    known.submit("/sign-out")
    forms = [form_of(stranger, f"made-up-{number}") for number in range(STRANGERS)]
    again = form_of(known, "cleo")

    async def visits() -> list[int]:
        signed_in, back, other = visit(site, ben), visit(site, known), visit(site, stranger)
        flood = [asyncio.create_task(other.post("/sign-in", data=form)) for form in forms]
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert (await signed_in.get("/queue")).status_code == 200
            assert (await back.get("/sign-in")).status_code == 200
            assert (await back.post("/sign-in", data=again)).status_code == 303
            assert (await other.get("/sign-in")).status_code == 200
        release.set()
        return [answer.status_code for answer in await asyncio.gather(*flood)]

    assert Counter(asyncio.run(visits())) == {403: 9, 503: STRANGERS - 9}


def test_who_is_signed_in_changes_a_password_meanwhile(
    site: Site, release: threading.Event
) -> None:
    ben, stranger = site.browser("ben"), site.browser()
    forms = [form_of(stranger, f"made-up-{number}") for number in range(20)]
    new = {"password": PASSWORD, "new": "another-password", "again": "another-password"}
    changed = {"csrf": ben.token(), **new}

    async def visits() -> int:
        signed_in, other = visit(site, ben), visit(site, stranger)
        flood = [asyncio.create_task(other.post("/sign-in", data=form)) for form in forms]
        async with asyncio.timeout(PATIENCE_SECONDS):
            answer = await signed_in.post("/account/password", data=changed)
        release.set()
        await asyncio.gather(*flood)
        return answer.status_code

    assert asyncio.run(visits()) == 303


def test_what_was_refused_at_once_may_come_again_and_counts_for_nothing(site: Site) -> None:
    browser = site.browser()
    with full(site.capacity.checks):
        answers = [browser.sign_in("ben") for _ in range(7)]
    assert [answer.status_code for answer in answers] == [503] * 7
    assert "Several people are signing in" in said(answers[-1])
    assert answers[-1].headers["retry-after"] == str(RETRY_SECONDS)
    assert browser.sign_in("ben").status_code == 303


def test_a_known_browser_has_a_share_for_the_names_it_was_signed_in_with(site: Site) -> None:
    known = site.browser("ben")
    known.submit("/sign-out")
    with full(site.capacity.checks):
        assert known.sign_in("cleo").status_code == 503
        assert known.sign_in("ben").status_code == 303


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/account/password", {"password": PASSWORD, "new": "n" * 12, "again": "n" * 12}),
        ("/people/add", {"name": "eve", "password": PASSWORD, "role": "reviewer"}),
        ("/people/change", {"name": "ben", "what": "password", "password": "n" * 12}),
    ],
)
def test_too_many_new_passwords_at_once_change_nothing(
    site: Site, path: str, fields: dict[str, str]
) -> None:
    ada = site.browser("ada")
    with full(site.capacity.known_checks):
        answers = [ada.submit(path, **fields) for _ in range(7)]
    assert [answer.status_code for answer in answers] == [429] * 7
    assert answers[-1].headers["retry-after"] == str(RETRY_SECONDS)
    assert site.people.user("eve") is None
    assert site.browser().sign_in("ben").status_code == 303
    assert ada.submit(path, **fields).status_code == 303


def test_too_many_strangers_are_refused_without_a_page(site: Site) -> None:
    ben, known = site.browser("ben"), site.browser("cleo")
    known.submit("/sign-out")
    with full(site.capacity.pages[BrowserKind.UNKNOWN]):
        for path in ("/sign-in", "/queue", "/nothing"):
            answer = site.browser().get(path)
            assert answer.status_code == 503
            assert answer.headers["retry-after"] == str(RETRY_SECONDS)
            assert answer.headers["connection"] == "close"
        assert ben.get("/queue").status_code == 200
        assert known.sign_in("cleo").status_code == 303


def test_a_cookie_that_we_did_not_sign_is_a_strangers(site: Site) -> None:
    stranger = site.browser()
    with full(site.capacity.pages[BrowserKind.UNKNOWN]):
        for name in (site.sessions.cookie, site.sessions.known, site.sessions.visit):
            stranger.cookies.set(name, "e30.made-up")
            assert stranger.get("/sign-in").status_code == 503


def test_what_fails_after_waiting_is_a_page_too(
    site: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(AccountService, "check", fail)
    error: Exception = StoreError("away; see store.url")
    assert "store cannot be reached" in said(site.browser().sign_in("ben"))
    error = RuntimeError("secret detail")
    answer = site.browser().sign_in("ben")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "secret detail" in caplog.text


async def test_a_share_has_so_many_places() -> None:
    share = ThreadShare(1, waiting=1)
    with share.place() as first, share.place() as second, share.place() as third:
        assert (first, second, third) == (True, True, False)
    with share.place() as again:
        assert again


async def test_who_waits_too_long_is_told() -> None:
    share, end = ThreadShare(1, seconds=0.001), threading.Event()
    running = asyncio.create_task(share.run(end.wait))
    await asyncio.sleep(0)
    assert await share.run(lambda: True) is None
    end.set()
    assert await running
    assert await share.run(lambda: "answer") == "answer"
