"""Who may sign in."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from itertools import count

import pytest

from guard.ports import Store
from guard.records import Account
from guard.review import passwords as module
from guard.review.accounts import AccountError, AccountService, Role
from guard.review.passwords import PasswordHashing
from tests.accounts import CHEAP, cheap_accounts

GOOD = "correct horse battery"
NOW = 1_000.0


@pytest.fixture
def people(store: Store) -> AccountService:
    numbers = count(1)
    return cheap_accounts(
        store, random_bytes=lambda size: next(numbers).to_bytes(size), clock=lambda: NOW
    )


def scrypt_hash(password: str, n: int = 2**4) -> str:
    """As version 0.1 made them, at another cost."""
    salt = bytes(range(16))
    made = hashlib.scrypt(password.encode(), salt=salt, n=n, r=8, p=1, maxmem=2**28, dklen=32)
    return f"$scrypt$n={n},r=8,p=1${b64encode(salt).decode()}${b64encode(made).decode()}"


def test_the_right_password_alone_lets_in(people: AccountService) -> None:
    made = people.add("ann", GOOD, Role.ADJUDICATOR)
    assert people.check("ann", GOOD) == made
    assert people.check("ann", GOOD + " ") is None
    assert people.check("bob", GOOD) is None
    assert people.check("ann", GOOD * 1000) is None
    assert people.check("\ud800", "\ud800") is None


def test_a_name_is_the_same_in_capital_and_small_letters(people: AccountService) -> None:
    made = people.add("Ann", GOOD, Role.REVIEWER)
    for name in ("Ann", "ann", "ANN", "\uff21nn"):
        assert people.check(name, GOOD) == made
        with pytest.raises(AccountError):
            people.add(name, GOOD, Role.REVIEWER)
    with pytest.raises(AccountError, match="account named Ann; capital and small letters"):
        people.add("aNN", GOOD, Role.REVIEWER)


def test_two_accounts_of_an_older_store_keep_their_names(
    people: AccountService, store: Store
) -> None:
    made = people.add("ann", GOOD, Role.REVIEWER)
    account = store.account("ann")
    assert account is not None
    assert store.add_account(replace(account, name="Ann", role="admin"))
    assert people.check("ann", GOOD) == made
    assert people.check("Ann", GOOD) == people.user("Ann")
    assert people.check("ANN", GOOD) is None


def test_no_password_is_kept(people: AccountService, store: Store) -> None:
    people.add("ann", GOOD, Role.REVIEWER)
    people.add("bob", GOOD, Role.REVIEWER)
    ann, bob = store.accounts()
    assert GOOD not in repr((ann, bob))
    assert ann.password_hash != bob.password_hash
    assert ann.password_hash.startswith("$argon2id$")
    assert ann.created_at == NOW


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
    assert after.session_version != before.session_version


def test_a_namesake_gets_no_old_session(people: AccountService) -> None:
    before = people.add("ann", GOOD, Role.REVIEWER)
    people.remove("ann")
    assert people.user("ann") is None
    assert people.add("ann", GOOD, Role.REVIEWER).session_version != before.session_version


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
    for name in ("bob", "\ud800", ""):
        for change in (people.remove, people.sign_out_everywhere):
            with pytest.raises(AccountError, match=f"there is no account named {name}"):
                change(name)


def test_users_are_listed_by_name(people: AccountService) -> None:
    for name in ("bob", "ann"):
        people.add(name, GOOD, Role.REVIEWER)
    assert [user.name for user in people.users()] == ["ann", "bob"]


def test_two_admins_at_once_lose_nothing(people: AccountService, store: Store) -> None:
    """Each change is of one account, and starts from what is kept then."""
    people.add("ann", GOOD, Role.REVIEWER)
    other = cheap_accounts(store)
    other.add("eve", GOOD, Role.REVIEWER)
    other.set_disabled("ann", disabled=True)
    people.set_role("ann", Role.ADMIN)
    assert [(one.name, one.role, one.disabled) for one in people.users()] == [
        ("ann", Role.ADMIN, True),
        ("eve", Role.REVIEWER, False),
    ]


def test_a_scrypt_hash_of_version_0_1_lets_in_and_is_replaced(
    people: AccountService, store: Store
) -> None:
    store.add_account(Account(name="old", role="admin", password_hash=scrypt_hash(GOOD)))
    assert people.check("old", "wrong password") is None
    (kept,) = store.accounts()
    assert kept.password_hash == scrypt_hash(GOOD)
    found = people.check("old", GOOD)
    assert found is not None
    (kept,) = store.accounts()
    assert kept.password_hash.startswith("$argon2id$")
    assert found.session_version == kept.session_version
    assert people.check("old", GOOD) == found
    assert people.check("old", "wrong password") is None


def test_a_hash_of_another_cost_is_replaced_and_sessions_stay(store: Store) -> None:
    made = cheap_accounts(store).add("ann", GOOD, Role.REVIEWER)
    stronger = PasswordHashing(argon2=CHEAP.argon2.__class__(2, 16, 1))
    assert cheap_accounts(store, passwords=stronger).check("ann", GOOD) == made
    (kept,) = store.accounts()
    assert not stronger.is_outdated(kept.password_hash)
    assert CHEAP.is_outdated(kept.password_hash)


def test_a_password_changed_while_its_hash_is_replaced_stays(store: Store) -> None:
    store.add_account(Account(name="old", role="admin", password_hash=scrypt_hash(GOOD)))
    other = cheap_accounts(store)

    class Slow(PasswordHashing):
        def hash(self, password: str) -> str:
            made = CHEAP.hash(password)
            if other.store.account("old") == before:
                other.set_password("old", GOOD + "2")
            return made

        def verify(self, password: str, kept: str, all_kept: object) -> bool:
            return True

    before = store.account("old")
    cheap_accounts(store, passwords=Slow(argon2=CHEAP.argon2)).check("old", GOOD)
    assert other.check("old", GOOD) is None
    assert other.check("old", GOOD + "2") is not None


@pytest.mark.parametrize("kept", ["", "$scrypt$n=16,r=8,p=1$AAAA$", "$argon2id$nonsense", "plain"])
def test_no_password_belongs_to_a_hash_that_is_none(
    people: AccountService, store: Store, kept: str
) -> None:
    store.add_account(Account(name="ann", role="admin", password_hash=kept))
    assert [people.check("ann", one) for one in ("", GOOD, kept)] == [None] * 3


@pytest.mark.parametrize("kinds", [("argon2",), ("scrypt",), ("argon2", "scrypt")])
def test_the_work_of_a_sign_in_tells_neither_names_nor_the_kind_of_a_hash(
    store: Store, monkeypatch: pytest.MonkeyPatch, kinds: tuple[str, ...]
) -> None:
    people = cheap_accounts(store)
    hashes = {"argon2": CHEAP.hash(GOOD), "scrypt": scrypt_hash(GOOD, 2**16)}
    for kind in kinds:
        store.add_account(Account(name=kind, role="admin", password_hash=hashes[kind]))
    store.add_account(replace(store.accounts()[0], name="disabled", disabled=True))
    work: list[object] = []

    def scrypt(*_: object, **given: int) -> bytes:
        work.append((given["n"], given["r"], given["p"], given["dklen"]))
        return bytes(32)

    class Counted(PasswordHashing):
        def hash(self, password: str) -> str:
            work.append("argon2")
            return ""

        def _verify_argon2(self, password: str, kept: str) -> bool:
            if kept:
                work.append("argon2")
                return False
            return super()._verify_argon2(password, kept)

    monkeypatch.setattr(module, "scrypt", scrypt)
    monkeypatch.setattr(module.hmac, "compare_digest", lambda one, two: False)
    people = cheap_accounts(store, passwords=Counted(argon2=CHEAP.argon2))
    seen = []
    for name in (*kinds, "disabled", "nobody"):
        work.clear()
        assert people.check(name, "wrong") is None
        seen.append(list(work))
    assert all(one == seen[0] for one in seen)
    assert seen[0] == [(2**16, 8, 1, 32)] * ("scrypt" in kinds) + ["argon2"]


def test_roles_include_those_below() -> None:
    assert [Role.ADJUDICATOR.includes(role) for role in Role] == [True, True, False]
