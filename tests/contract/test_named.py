"""Facts, accounts and cursors: read, changed with nobody in between, and found again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Any, NoReturn

import pytest

from guard.errors import StoreError
from guard.ports import Store
from guard.records import Account, ReviewCursor
from guard.store.common import MOST_ATTEMPTS
from tests.contract.backends import Places, durable_only
from tests.contract.test_races import at_once


def account(name: str = "ann", **changes: Any) -> Account:
    made = Account(
        name=name,
        role="reviewer",
        password_hash="$scrypt$n=2,r=8,p=1$c2FsdA==$aGFzaA==",
        session_version=2**48 - 1,
        created_at=1_000_000_000.25,
    )
    return replace(made, **changes)


def put(store: Store, name: str, text: str) -> str:
    return store.update_fact(name, lambda _: text)


def raised(store: Store, name: str = "ann") -> Account | None:
    """The account after its sessions were ended once more."""
    return store.update_account(
        name, lambda one: replace(one, session_version=one.session_version + 1)
    )


def test_a_fact_is_what_it_was_changed_to(store: Store) -> None:
    assert store.fact("epoch") is None
    assert store.update_fact("epoch", lambda known: f"{known} e1") == "None e1"
    assert store.fact("epoch") == "None e1"
    assert put(store, "epoch", "") == ""
    assert store.fact("epoch") == ""
    assert store.update_fact("epoch", lambda known: f"{known}e2 \U0001f600") == "e2 \U0001f600"
    assert store.fact("epoch") == "e2 \U0001f600"
    assert store.update_fact("epoch", str) == "e2 \U0001f600"
    assert store.fact("other") is None


def test_a_change_that_raises_changes_nothing(store: Store) -> None:
    def failing(_: object) -> NoReturn:
        raise ZeroDivisionError

    put(store, "epoch", "e1")
    store.add_account(account())
    failed: list[Callable[[], object]] = [
        lambda: store.update_fact("epoch", failing),
        lambda: store.update_account("ann", failing),
        lambda: store.update_cursor("ann", failing),
    ]
    for act in failed:
        with pytest.raises(ZeroDivisionError):
            act()
    assert store.fact("epoch") == "e1"
    assert store.accounts() == [account()]
    assert store.cursor("ann") == ReviewCursor(reviewer="ann")


def test_a_lone_surrogate_is_refused(store: Store) -> None:
    refused: list[Callable[[], object]] = [
        lambda: put(store, "epoch", "\ud800"),
        lambda: put(store, "\ud800", "e1"),
        lambda: store.add_account(account("\ud800")),
        lambda: store.update_cursor("\ud800", lambda known: known),
    ]
    for act in refused:
        with pytest.raises(ValueError, match="surrogate"):
            act()
    assert (store.fact("epoch"), store.accounts()) == (None, [])


def test_accounts_are_kept_one_by_one(store: Store) -> None:
    assert store.accounts() == []
    assert store.account("ann") is None
    assert store.add_account(account("bob", role="admin \U0001f600", created_at=None))
    assert store.add_account(account())
    assert not store.add_account(account(role="admin"))
    assert store.account("ann") == account()
    assert [one.name for one in store.accounts()] == ["ann", "bob"]
    disabled = account(disabled=True, password_hash="other")
    assert store.update_account("ann", lambda _: disabled) == disabled
    assert store.account("ann") == disabled
    assert store.account("bob") == account("bob", role="admin \U0001f600", created_at=None)
    assert store.remove_account("ann")
    assert not store.remove_account("ann")
    assert [one.name for one in store.accounts()] == ["bob"]


def test_nobody_is_changed_who_is_not_there(store: Store) -> None:
    def never(_: Account) -> Account:
        raise AssertionError("there is nothing to change")

    assert store.update_account("ann", never) is None
    assert store.accounts() == []


def test_an_account_that_is_removed_meanwhile_does_not_come_back(store: Store) -> None:
    store.add_account(account())

    def removed_meanwhile(known: Account) -> Account:
        store.remove_account("ann")
        return replace(known, role="admin")

    assert store.update_account("ann", removed_meanwhile) is None
    assert store.accounts() == []


def test_a_namesake_is_not_overwritten(store: Store) -> None:
    store.add_account(account())
    seen = []

    def replaced_meanwhile(known: Account) -> Account:
        if not seen:
            store.remove_account("ann")
            store.add_account(account(password_hash="of the namesake"))
        seen.append(known)
        return replace(known, role="admin")

    changed = store.update_account("ann", replaced_meanwhile)
    assert changed == account(password_hash="of the namesake", role="admin")
    assert seen == [account(), account(password_hash="of the namesake")]


def test_a_cursor_moves(store: Store) -> None:
    assert store.cursor("ann") == ReviewCursor(reviewer="ann")
    moved = ReviewCursor(reviewer="ann", skipped_at=1e9 + 0.1, recent_votes=("c1", "c2"))
    assert store.update_cursor("ann", lambda _: moved) == moved
    assert store.cursor("ann") == moved
    back = store.update_cursor("ann", lambda known: replace(known, skipped_at=None))
    assert back == store.cursor("ann") == replace(moved, skipped_at=None)
    assert store.cursor("bob") == ReviewCursor(reviewer="bob")


def test_the_three_are_apart(store: Store) -> None:
    put(store, "ann", "a fact")
    store.add_account(account())
    store.update_cursor("ann", lambda known: replace(known, recent_votes=("c1",)))
    store.remove_account("ann")
    assert store.fact("ann") == "a fact"
    assert store.cursor("ann").recent_votes == ("c1",)


def test_who_is_never_first_gives_up_in_the_end(store: Store) -> None:
    """Somebody changes the fact in the middle of each attempt."""
    attempts = []

    def overtaken(_: str | None) -> str:
        attempts.append(put(store, "epoch", f"of another, {len(attempts)}"))
        return "mine"

    with pytest.raises(StoreError, match=r"facts: 'epoch'.*try again.*store\.url"):
        store.update_fact("epoch", overtaken)
    assert len(attempts) == MOST_ATTEMPTS
    assert store.fact("epoch") == attempts[-1]


def test_every_change_of_many_counts(store: Store) -> None:
    store.add_account(account(session_version=0))

    def work(_: int) -> None:
        for _ in range(5):
            store.update_fact("count", lambda known: str(int(known or "0") + 1))
            raised(store)

    at_once(10, work)
    assert store.fact("count") == "50"
    assert store.account("ann") == account(session_version=50)


def test_one_of_many_is_first(store: Store) -> None:
    kept = at_once(20, lambda number: store.update_fact("key", lambda known: known or str(number)))
    assert set(kept) == {store.fact("key")}
    added = at_once(20, lambda number: store.add_account(account(role=str(number))))
    assert sum(added) == 1
    assert store.account("ann") == account(role=str(added.index(True)))
    assert sum(at_once(20, lambda _: store.remove_account("ann"))) == 1


def test_votes_of_one_person_in_many_pages_are_all_remembered(store: Store) -> None:
    def voted(name: str) -> str:
        store.update_cursor(
            "ann", lambda known: replace(known, recent_votes=(*known.recent_votes, name))
        )
        return name

    def work(number: int) -> list[str]:
        return [voted(f"c{number}-{turn}") for turn in range(5)]

    names = list(chain.from_iterable(at_once(8, work)))
    assert sorted(store.cursor("ann").recent_votes) == sorted(names)


@durable_only
def test_all_of_it_is_there_when_opened_again(opened: Callable[..., Store], places: Places) -> None:
    place = places()
    first = opened(place)
    put(first, "epoch", "e1")
    first.add_account(account())
    moved = first.update_cursor("ann", lambda known: replace(known, skipped_at=3.5))
    first.shut()
    second = opened(place)
    assert second.fact("epoch") == "e1"
    assert second.accounts() == [account()]
    assert second.cursor("ann") == moved
