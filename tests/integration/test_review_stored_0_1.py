"""The review page on what version 0.1.0 has kept: people sign in with their old passwords."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from guard.ports import Store
from guard.review_web import ReviewOptions, open_review
from guard.settings import Settings, StoreSettings
from guard.store import open_store
from tests import stored_0_1 as old
from tests.browser.visitor import Visitor

LET_IN = {"ann": "reviewer", "bob": "reviewer", "cyd": "adjudicator", "dee": "admin"}
REMOVED = "eve"
DISABLED = "fay"


@pytest.fixture(params=["sqlite", "redis"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def url(kind: str, tmp_path: Path) -> Iterator[str]:
    place = old.redis_url(tmp_path) if kind == "redis" else nullcontext(old.sqlite_url(tmp_path))
    with place as found:
        yield found


@pytest.fixture
def store(url: str, kind: str) -> Iterator[Store]:
    """At the time of that data, so that what was held then is held still."""
    now = float(old.contents(kind)["now"])
    opened = open_store(url, clock=lambda: now)
    yield opened
    opened.shut()


@pytest.fixture
def origin(url: str, kind: str, store: Store) -> Iterator[str]:
    settings = Settings(store=StoreSettings(url=url))
    now = float(old.contents(kind)["now"])
    options = ReviewOptions(clock=lambda: now, page_size=99)
    with closing(open_review(settings, store=store, options=options)) as page:
        yield page.url.rstrip("/")


def hashes(store: Store) -> dict[str, str]:
    return {one.name: one.password_hash for one in store.accounts()}


def test_people_sign_in_with_their_old_passwords_twice(origin: str, store: Store) -> None:
    assert all(one.startswith("$scrypt$") for one in hashes(store).values())
    for _ in range(2):
        for name, role in LET_IN.items():
            with Visitor(origin) as visitor:
                assert visitor.sign_in(name, old.passwords()[name]).status_code == 303
                assert f"{name}</strong>" not in visitor.get("/sign-in").text
                assert role in visitor.get("/account").text.lower()
    for name, kept in hashes(store).items():
        assert kept.startswith("$argon2id$" if name in LET_IN else "$scrypt$")


def test_no_other_password_lets_in(origin: str, store: Store) -> None:
    before = hashes(store)
    for name, password in old.passwords().items():
        with Visitor(origin) as visitor:
            wrong = password if name in {REMOVED, DISABLED} else f"{password} "
            assert visitor.sign_in(name, wrong).status_code == 403
    with Visitor(origin) as visitor:
        assert visitor.sign_in("bob", "the first password of bob").status_code == 403
    assert hashes(store) == before


def test_every_case_is_shown(origin: str, kind: str) -> None:
    """Texts and all, to an administrator who has not voted, and to a reviewer who has."""
    for name in ("dee", "ann"):
        with Visitor(origin) as visitor:
            visitor.sign_in(name, old.passwords()[name])
            for one in old.contents(kind)["cases"]:
                page = visitor.get(f"/case/{one['case']['id']}")
                assert page.status_code == 200
                assert "cannot be shown" not in page.text
            for path in ("/queue", "/statistics", "/queue?state=closed"):
                assert visitor.get(path).status_code == 200


def test_a_reviewer_goes_on_behind_what_was_skipped(origin: str, kind: str, store: Store) -> None:
    skipped_at = old.contents(kind)["memory"]["ann"]["passed"]
    with Visitor(origin) as visitor:
        visitor.sign_in("ann", old.passwords()["ann"])
        path = visitor.next("")
        case_id = path.rpartition("/")[2]
        record = store.case(case_id)
        assert record is not None
        assert record.case.opened_at > skipped_at
        verdict = "biased" if record.case.kind == "pair" else "harmful"
        assert visitor.vote(path, verdict).status_code == 303
        assert store.cursor("ann").recent_votes[-1] == case_id
        undone = visitor.post("/undo", {"csrf": visitor.token})
    assert undone.headers["location"].partition("?")[0] == path
