"""A Chromium, the review page on each store, and people who use it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from guard.ports import Store
from guard.records import Audit, Case, CaseFilter, CaseRecord
from guard.review.accounts import AccountService, Role
from guard.shadow.cases import CaseContext
from guard.store import open_store
from tests.accounts import PASSWORD, server_accounts
from tests.browser.chromium import Chromium, Session
from tests.browser.made import VERSIONS, some_pairs
from tests.browser.serving import ReviewServer
from tests.browser.visitor import Visitor
from tests.repeats import SOAK
from tests.servers import RedisServer, need

HERE = Path(__file__).parent
STORES = ("sqlite", "redis") if SOAK else ("redis",)
"""A module names its own where the store matters more, or less."""


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
    chromium: Chromium
    number: int
    sessions: list[Session] = field(default_factory=list)

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

    def session(self, **options: object) -> Session:
        """A browser that nobody has used; what it sees must be quiet when the test ends.

        options: those of Playwright's `new_context`, for a context of the test's own.
        """
        session = self.chromium.take(self.origin, **options)
        self.sessions.append(session)
        return session

    def page_of(self, person: Person, **options: object) -> Page:
        """A page of somebody who has signed in."""
        page = self.session(**options).page
        self.sign_in(page, person)
        return page

    def expect(self, *statuses: int) -> None:
        """These are no error to any browser of this test."""
        for session in self.sessions:
            session.watch.expected.update(statuses)

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

    def forget(self) -> list[str]:
        """What the browsers saw that should not be, for the last time."""
        return [what for session in self.sessions for what in session.watch.quiet()]

    def close(self) -> None:
        for session in self.sessions:
            self.chromium.give_back(session)


@dataclass(slots=True, kw_only=True)
class Served:
    """A review page on a store."""

    server: ReviewServer
    store: Store
    people: AccountService
    numbers: Iterator[int] = field(default_factory=count)

    def desk(self, chromium: Chromium) -> Desk:
        """One more."""
        return Desk(
            server=self.server,
            store=self.store,
            people=self.people,
            chromium=chromium,
            number=next(self.numbers),
        )


@pytest.fixture(scope="package")
def chromium() -> Iterator[Chromium]:
    """Not for the whole session: Playwright keeps an event loop, and async tests need their own."""
    program = need("chromium", package="chromium")
    with sync_playwright() as playwright:
        chromium = Chromium(playwright=playwright, program=program)
        yield chromium
        chromium.stop()


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
def desk(served: Served, chromium: Chromium) -> Iterator[Desk]:
    made = served.desk(chromium)
    with chromium.limited():
        yield made
        made.close()
    assert made.forget() == []
