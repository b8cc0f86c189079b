"""The server is killed in the middle of votes: what was said to be recorded is, and once."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest

from guard.ports import Store
from guard.records import CaseFilter, CaseRecord, CaseState
from guard.review.accounts import Role
from guard.review.service import ReviewService
from guard.shadow.cases import CaseContext
from guard.store import open_store
from tests.accounts import server_accounts
from tests.browser.made import VERSIONS, some_pairs
from tests.browser.serving import START_SECONDS, ReviewServer
from tests.browser.visitor import Visitor
from tests.repeats import repeats
from tests.servers import PATIENCE_SECONDS

STORES = ("sqlite", "redis")
pytestmark = pytest.mark.soak

VOTERS, CASES, REVIEWERS, KILLS = 4, repeats(9, soak=40), 2, repeats(1, soak=4)
PASSWORD, USE_CASE = "a-password-for-tests", "chat"


STUCK_SECONDS = START_SECONDS + PATIENCE_SECONDS
"""Nobody got on for so long, nor may they while a server starts."""


@dataclass(slots=True, kw_only=True)
class Votes:
    """What voters were told is recorded: person and case. seen: what each of them saw last."""

    told: set[tuple[str, str]] = field(default_factory=set)
    seen: dict[str, str] = field(default_factory=dict)
    got_on_at: float = field(default_factory=time.monotonic)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def add(self, person: str, path: str) -> None:
        with self.changed:
            self.told.add((person, path.removeprefix("/case/")))
        self.get_on()

    def get_on(self) -> None:
        """Something is nearer to its end than before."""
        with self.changed:
            self.got_on_at = time.monotonic()
            self.changed.notify_all()

    def wait_for(self, number: int) -> None:
        with self.changed:
            while len(self.told) < number:
                self.check()
                self.changed.wait(1)

    def check(self) -> None:
        """Fail where nobody gets on any more; a slow machine takes its time."""
        if time.monotonic() - self.got_on_at > STUCK_SECONDS:
            seen = "\n".join(f"{name}: {what}" for name, what in sorted(self.seen.items()))
            pytest.fail(f"no vote for {STUCK_SECONDS} s; the last that each voter saw:\n{seen}")


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    store = open_store(store_url, clock=time.time)
    yield store
    store.shut()


@pytest.fixture
def server(store_url: str, tmp_path: Path) -> Iterator[ReviewServer]:
    server = ReviewServer(tmp_path, store_url)
    server.start()
    yield server
    server.stop()


def vote_on_all(server: ReviewServer, store: Store, name: str, votes: Votes) -> None:
    """Decide whatever there is, and try again when the server is gone.

    An empty queue is not the end: the last cases may be held by somebody else until they vote.
    """
    with Visitor(server.origin) as visitor:
        signed_in = False
        while not signed_in or any(len(one.votes) < REVIEWERS for one in cases(store)):
            try:
                if not signed_in:
                    signed_in = sign_in(visitor, name, votes)
                elif (path := visitor.next(USE_CASE)) == "/queue":
                    time.sleep(0.05)
                elif visitor.vote(path, "biased" if name < "voter-2" else "unsure").is_redirect:
                    votes.add(name, path)
            except httpx.TransportError as error:
                visitor.seen += f", {error!r}"
                time.sleep(0.01)
            votes.seen[name] = visitor.seen
            votes.check()


def sign_in(visitor: Visitor, name: str, votes: Votes) -> bool:
    """Whether it worked: too many may be signing in at once (503)."""
    if visitor.sign_in(name, PASSWORD).status_code != 303:
        return False
    votes.get_on()
    return True


def cases(store: Store) -> list[CaseRecord]:
    return list(store.query(CaseFilter(use_case=USE_CASE), limit=CASES))


def test_no_vote_is_lost_or_counted_twice(store: Store, server: ReviewServer) -> None:
    people = server_accounts(store)
    names = [f"voter-{number}" for number in range(VOTERS)]
    for name in names:
        people.add(name, PASSWORD, Role.REVIEWER)
    filing = CaseContext(
        use_case=USE_CASE, at_seconds=time.time() - 9e4, versions=VERSIONS, reviewers=REVIEWERS
    )
    assert all(store.open(case) for case in some_pairs(CASES, filing))
    votes = Votes()
    with ThreadPoolExecutor(VOTERS) as pool:
        working = [pool.submit(vote_on_all, server, store, name, votes) for name in names]
        for number in range(KILLS):
            votes.wait_for((number + 1) * CASES * REVIEWERS // (KILLS + 2))
            server.kill()
            server.start()
            votes.get_on()
        for one in working:
            one.result()
    recorded = {(vote.reviewer, one.case.id) for one in cases(store) for vote in one.votes}
    assert votes.told <= recorded
    assert [len(one.votes) for one in cases(store)] == [REVIEWERS] * CASES
    _audit_is_whole(store)
    _figures_are_whole(store)


def _audit_is_whole(store: Store) -> None:
    for one in cases(store):
        events = [entry.event for entry in store.audit(case_id=one.case.id)]
        assert events[0] == "opened"
        assert events.count("voted") == len(one.votes)
        assert events[-1] == ("closed" if one.state is CaseState.CLOSED else "disputed")


def _figures_are_whole(store: Store) -> None:
    desk = ReviewService(store=store, clock=time.time)
    while not desk.count_new():
        pass
    found = desk.statistics(USE_CASE)
    assert found.times.votes == CASES * REVIEWERS
    closed = sum(one.state is CaseState.CLOSED for one in cases(store))
    assert sum(sum(one.values()) for one in found.verdicts.values()) == closed
    assert found.disputed == CASES - closed
