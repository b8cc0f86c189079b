"""Who may sign in to the review, and in which role."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

from guard.errors import ReviewError
from guard.ports import Accounts, Clock
from guard.records import Account

if TYPE_CHECKING:
    from guard.review.passwords import PasswordHashing

MIN_PASSWORD_LENGTH: Final = 12
MAX_PASSWORD_LENGTH: Final = 1024
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}\Z")


class Role(StrEnum):
    """What a user may do: vote; also settle disputes; also see the audit, accounts and exports."""

    REVIEWER = "reviewer"
    ADJUDICATOR = "adjudicator"
    ADMIN = "admin"

    def includes(self, needed: Role) -> bool:
        """Whether this role may do all that the other one may."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


class AccountError(ReviewError):
    """An invalid name, password or role. The message says what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """An account without its password. session_version: sessions with another one are over."""

    name: str
    role: Role
    session_version: int = 1
    disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountService:
    """The accounts of a store. Methods raise StoreError.

    random_bytes: so many, secret. clock: Unix seconds.
    """

    store: Accounts
    passwords: PasswordHashing
    random_bytes: Callable[[int], bytes]
    clock: Clock

    def users(self) -> Sequence[User]:
        """All of them, by name."""
        return [_user(account) for account in self.store.accounts()]

    def user(self, name: str) -> User | None:
        """One of them."""
        account = self.store.account(name)
        return _user(account) if account else None

    def add(self, name: str, password: str, role: Role) -> User:
        """A new account. Raises AccountError for an invalid name, one that is taken or differs from
        that of another account in case alone, or a bad password."""
        if not _NAME.match(name):
            raise AccountError(
                "a name is 1 to 64 of letters, digits, dot, dash, underscore and @, the first one"
                " a letter or digit"
            )
        if (known := self._alike(name)) is not None:
            raise AccountError(
                f"there is already an account named {known.name}; capital and small letters make no"
                " difference"
            )
        account = Account(
            name=name,
            role=str(role),
            password_hash=self._hash(password),
            # Random, so that sessions of a removed account of the same name stay invalid.
            session_version=int.from_bytes(self.random_bytes(6)),
            created_at=self.clock(),
        )
        if not self.store.add_account(account):
            raise AccountError(f"there is already an account named {name}")
        return _user(account)

    def remove(self, name: str) -> None:
        """Delete an account. Its votes and the audit stay. Raises AccountError."""
        if not (_NAME.match(name) and self.store.remove_account(name)):
            raise _unknown(name)

    def set_password(self, name: str, password: str) -> User:
        """A new password; all sessions of the account end. Raises AccountError."""
        password_hash = self._hash(password)
        return self._update(name, lambda kept: replace(kept, password_hash=password_hash))

    def set_role(self, name: str, role: Role) -> User:
        """Another role; all sessions end, so that none has the old one. Raises AccountError."""
        return self._update(name, lambda kept: replace(kept, role=str(role)))

    def set_disabled(self, name: str, disabled: bool) -> User:
        """Disable or enable an account; all its sessions end. Raises AccountError."""
        return self._update(name, lambda kept: replace(kept, disabled=disabled))

    def sign_out_everywhere(self, name: str) -> User:
        """End all sessions of an account. Raises AccountError."""
        return self._update(name, lambda kept: kept)

    def check(self, name: str, password: str) -> User | None:
        """Whose name and password these are; None if they do not match, or are disabled.

        The name may be written in other capital and small letters, where it is that of one account.
        An unknown name takes as long as a wrong password. A hash of an outdated kind is replaced.
        """
        accounts = self.store.accounts()
        account = _named(name, accounts)
        kept = account.password_hash if account else ""
        all_kept = [one.password_hash for one in accounts]
        right = self.passwords.verify(password[: MAX_PASSWORD_LENGTH + 1], kept, all_kept)
        if account is None or account.disabled or not right or len(password) > MAX_PASSWORD_LENGTH:
            return None
        if self.passwords.is_outdated(kept):
            self._rehash(account, password)
        return _user(account)

    def _alike(self, name: str) -> Account | None:
        """An account whose name differs in case alone, or not at all."""
        accounts = self.store.accounts()
        return next((one for one in accounts if folded_name(one.name) == folded_name(name)), None)

    def _rehash(self, checked: Account, password: str) -> None:
        """Sessions stay; a password that was changed meanwhile stays too."""
        made = self.passwords.hash(password)

        def change(kept: Account) -> Account:
            same = kept.password_hash == checked.password_hash
            return replace(kept, password_hash=made) if same else kept

        self.store.update_account(checked.name, change)

    def _hash(self, password: str) -> str:
        if not MIN_PASSWORD_LENGTH <= len(password) <= MAX_PASSWORD_LENGTH:
            raise AccountError(
                f"a password has {MIN_PASSWORD_LENGTH} to {MAX_PASSWORD_LENGTH} characters"
            )
        return self.passwords.hash(password)

    def _update(self, name: str, change: Callable[[Account], Account]) -> User:
        """Change an account and end its sessions."""

        def change_and_end(kept: Account) -> Account:
            return replace(change(kept), session_version=kept.session_version + 1)

        known = bool(_NAME.match(name))
        account = self.store.update_account(name, change_and_end) if known else None
        if account is None:
            raise _unknown(name)
        return _user(account)


def folded_name(name: str) -> str:
    """The same for every way to write a name in capital and small letters, wide ones among them."""
    return normalize("NFKC", name).casefold()


def _named(name: str, accounts: Sequence[Account]) -> Account | None:
    """The account of this name; or else the only one whose name differs from it in case."""
    alike = [one for one in accounts if folded_name(one.name) == folded_name(name)]
    exact = [one for one in alike if one.name == name]
    return next(iter(exact), alike[0] if len(alike) == 1 else None)


def _user(account: Account) -> User:
    return User(
        name=account.name,
        role=Role(account.role),
        session_version=account.session_version,
        disabled=account.disabled,
    )


def _unknown(name: str) -> AccountError:
    return AccountError(f"there is no account named {name:.64}")
