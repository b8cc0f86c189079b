"""Who may sign in."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from itertools import count

import pytest

from guard.ports import Store
from guard.review import AccountError, AccountService, Role
from guard.review import accounts as module
from guard.review.accounts import ScryptCost

GOOD = "correct horse battery"


@pytest.fixture
def people(store: Store) -> AccountService:
    numbers = count(1)
    return AccountService(
        windows=store,
        random_bytes=lambda size: next(numbers).to_bytes(size),
        cost=ScryptCost(n=2**4, r=8, p=1),
    )


def test_the_right_password_alone_lets_in(people: AccountService) -> None:
    made = people.add("ann", GOOD, Role.ADJUDICATOR)
    assert people.check("ann", GOOD) == made
    assert people.check("ann", GOOD + " ") is None
    assert people.check("bob", GOOD) is None
    assert people.check("ann", GOOD * 1000) is None
    assert people.check("\ud800", "\ud800") is None


def test_no_password_is_kept(people: AccountService, store: Store) -> None:
    people.add("ann", GOOD, Role.REVIEWER)
    people.add("bob", GOOD, Role.REVIEWER)
    fact = store.fact("users")
    assert fact is not None
    kept = json.loads(fact)
    assert GOOD not in fact
    assert kept["ann"]["hash"] != kept["bob"]["hash"]


@pytest.mark.parametrize("name", ["", "a b", "-x", "x" * 65, "<b>", "ä", "a\n"])
def test_names_are_plain(people: AccountService, name: str) -> None:
    with pytest.raises(AccountError, match="a name is"):
        people.add(name, GOOD, Role.REVIEWER)


@pytest.mark.parametrize("password", ["", "short", "x" * 1025])
def test_passwords_have_a_length(people: AccountService, password: str) -> None:
    with pytest.raises(AccountError, match="12 to 1024"):
        people.add("ann", password, Role.REVIEWER)


def test_a_name_is_taken_once(people: AccountService) -> None:
    people.add("ann", GOOD, Role.REVIEWER)
    with pytest.raises(AccountError, match="already"):
        people.add("ann", GOOD, Role.ADMIN)


@pytest.mark.parametrize(
    "change",
    [
        lambda people: people.set_password("ann", GOOD + "2"),
        lambda people: people.set_role("ann", Role.ADMIN),
        lambda people: people.set_disabled("ann", disabled=True),
        lambda people: people.sign_out_everywhere("ann"),
    ],
)
def test_a_change_ends_all_sessions(
    people: AccountService, change: Callable[[AccountService], object]
) -> None:
    before = people.add("ann", GOOD, Role.REVIEWER)
    change(people)
    after = people.user("ann")
    assert after is not None
    assert after.generation != before.generation


def test_a_namesake_gets_no_old_session(people: AccountService) -> None:
    before = people.add("ann", GOOD, Role.REVIEWER)
    people.remove("ann")
    assert people.user("ann") is None
    assert people.add("ann", GOOD, Role.REVIEWER).generation != before.generation


def test_who_is_shut_out_stays_out_until_let_in(people: AccountService) -> None:
    people.add("ann", GOOD, Role.REVIEWER)
    people.set_disabled("ann", disabled=True)
    assert people.check("ann", GOOD) is None
    people.set_disabled("ann", disabled=False)
    assert people.check("ann", GOOD) is not None


def test_a_new_password_replaces_the_old_one_and_nothing_else(people: AccountService) -> None:
    people.add("ann", GOOD, Role.ADMIN)
    people.set_password("ann", GOOD + "2")
    assert people.check("ann", GOOD) is None
    found = people.check("ann", GOOD + "2")
    assert found is not None
    assert found.role is Role.ADMIN


def test_nobody_is_not_changed(people: AccountService) -> None:
    for change in (people.remove, people.sign_out_everywhere):
        with pytest.raises(AccountError, match="there is no bob"):
            change("bob")


def test_users_are_listed_by_name(people: AccountService) -> None:
    for name in ("bob", "ann"):
        people.add(name, GOOD, Role.REVIEWER)
    assert [user.name for user in people.users()] == ["ann", "bob"]


def test_two_admins_at_once_lose_nothing(people: AccountService, store: Store) -> None:
    """Somebody else adds a person between reading and writing, once."""
    other = AccountService(
        windows=store, random_bytes=lambda size: bytes(size), cost=ScryptCost(n=2, r=1, p=1)
    )
    pending = ["eve"]

    class Slow:
        def fact(self, name: str) -> str | None:
            found = store.fact(name)
            if pending:
                other.add(pending.pop(), GOOD, Role.REVIEWER)
            return found

        def swap(self, name: str, *, expected: str | None, new: str) -> bool:
            return store.swap(name, expected=expected, new=new)

    slow = AccountService(windows=Slow(), random_bytes=bytes, cost=ScryptCost(n=2, r=1, p=1))  # type: ignore[arg-type]
    slow.add("ann", GOOD, Role.REVIEWER)
    assert [user.name for user in people.users()] == ["ann", "eve"]


def test_an_unknown_name_costs_as_much_as_a_wrong_password(
    people: AccountService, monkeypatch: pytest.MonkeyPatch
) -> None:
    people.add("ann", GOOD, Role.REVIEWER)
    costs = []

    def hashed(*_: object, **given: int) -> bytes:
        costs.append((given["n"], given["r"], given["p"], given["dklen"]))
        return bytes(32)

    monkeypatch.setattr(module, "scrypt", hashed)
    monkeypatch.setattr(hmac, "compare_digest", lambda one, two: False)
    assert people.check("ann", "wrong") is people.check("bob", "wrong") is None
    assert costs[0] == costs[1]


def test_roles_include_those_below() -> None:
    assert [Role.ADJUDICATOR.includes(role) for role in Role] == [True, True, False]
