"""A Chromium, the review page on each store, and people who use it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from guard.ports import Store
from guard.records import Audit, Case, CaseFilter, CaseRecord
from guard.review.accounts import AccountService, Role
from guard.shadow.cases import CaseContext
from guard.store import open_store
from tests.accounts import PASSWORD, server_accounts
from tests.browser.made import VERSIONS, some_pairs
from tests.browser.serving import ReviewServer
from tests.browser.visitor import Visitor
from tests.browser.watching import Watch
from tests.repeats import SOAK
from tests.servers import RedisServer, need

HERE = Path(__file__).parent
STORES = ("sqlite", "redis") if SOAK else ("redis",)
"""A module names its own where the store matters more, or less."""
FLAGS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.slow)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "store_url" in metafunc.fixturenames:
        stores = getattr(metafunc.module, "STORES", STORES)
        metafunc.parametrize("store_url", stores, indirect=True, scope="module")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody with an account."""

    name: str
    password: str
    role: Role


@dataclass(slots=True, kw_only=True)
class Desk:
    """One test's share of a served review page: a use case and people of its own."""

    server: ReviewServer
    store: Store
    people: AccountService
    browser: Browser
    number: int
    contexts: list[tuple[BrowserContext, Watch]] = field(default_factory=list)

    @property
    def origin(self) -> str:
        return self.server.origin

    @property
    def use_case(self) -> str:
        return f"chat-{self.number}"

    @property
    def queue(self) -> str:
        """The address of the queue of this test's cases."""
        return f"{self.origin}/queue?use_case={self.use_case}"

    def filing(self, reviewers: int = 1) -> CaseContext:
        """For cases that wait for a day and less."""
        at = time.time() - 86_400
        return CaseContext(
            use_case=self.use_case, at_seconds=at, versions=VERSIONS, reviewers=reviewers
        )

    def file_pairs(self, number: int, *, reviewers: int = 1) -> list[Case]:
        """Oldest first."""
        return self.file(some_pairs(number, self.filing(reviewers)))

    def file(self, cases: list[Case]) -> list[Case]:
        for case in cases:
            assert self.store.open(case)
        return cases

    def records(self) -> Sequence[CaseRecord]:
        """This test's cases as they stand."""
        return self.store.query(CaseFilter(use_case=self.use_case), limit=10_000)

    def audit(self, case_id: str) -> Sequence[Audit]:
        return self.store.audit(case_id=case_id, limit=10_000)

    def person(self, role: Role = Role.REVIEWER, name: str = "") -> Person:
        """Somebody new."""
        made = Person(
            name=f"{name or role}-{self.number}-{len(self.people.users())}",
            password=PASSWORD,
            role=role,
        )
        self.people.add(made.name, made.password, role)
        return made

    def context(self, **options: object) -> tuple[BrowserContext, Watch]:
        """A browser that nobody has used; what it sees must be quiet when the test ends."""
        context = self.browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(60_000)
        watch = Watch(origin=self.origin)
        watch.over(context)
        self.contexts.append((context, watch))
        return context, watch

    def page_of(self, person: Person, **options: object) -> Page:
        """A page of somebody who has signed in."""
        page = self.context(**options)[0].new_page()
        self.sign_in(page, person)
        return page

    def sign_in(self, page: Page, person: Person) -> None:
        page.goto(f"{self.origin}/sign-in")
        page.fill("#name", person.name)
        page.fill("#password", person.password)
        with page.expect_navigation(url="**/queue*"):
            page.click("#sign-in button.primary")

    def visitor(self, person: Person) -> Visitor:
        """The same without a browser."""
        visitor = Visitor(self.origin)
        answer = visitor.sign_in(person.name, person.password)
        assert answer.status_code == 303, answer.text
        return visitor

    def close(self) -> list[str]:
        """Close all browsers; what they saw that should not be."""
        for context, _ in self.contexts:
            context.close()
        return [what for _, watch in self.contexts for what in watch.quiet()]


@dataclass(slots=True, kw_only=True)
class Served:
    """A review page on a store."""

    server: ReviewServer
    store: Store
    people: AccountService
    numbers: Iterator[int] = field(default_factory=count)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = need("chromium", package="chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def store_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An empty store, for the tests of a module."""
    folder = tmp_path_factory.mktemp("store")
    if request.param == "sqlite":
        return f"sqlite:///{folder}/store.db"
    redis: RedisServer = request.getfixturevalue("redis_server")
    return f"{redis.url}?prefix={folder.name}"


@pytest.fixture(scope="module")
def served(store_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    store = open_store(store_url, clock=time.time)
    server = ReviewServer(tmp_path_factory.mktemp("served"), store_url)
    server.start()
    people = server_accounts(store)
    yield Served(server=server, store=store, people=people)
    server.stop()
    store.shut()


@pytest.fixture
def desk(served: Served, browser: Browser) -> Iterator[Desk]:
    made = Desk(
        server=served.server,
        store=served.store,
        people=served.people,
        browser=browser,
        number=next(served.numbers),
    )
    yield made
    assert made.close() == []
