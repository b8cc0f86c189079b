"""Accounts for tests: people sign in very often there, and a password hash is slow on purpose."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from functools import cache

from argon2 import PasswordHasher

from guard.ports import Accounts, Clock
from guard.review.accounts import AccountService
from guard.review.passwords import PasswordHashing

PASSWORD = "a-password-for-tests"
CHEAP = PasswordHashing(argon2=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
_hash = cache(PasswordHashing().hash)


class OnceHashed(PasswordHashing):
    """At full cost, so that a server finds no hash outdated; each password is hashed once."""

    def hash(self, password: str) -> str:
        return _hash(password)


def cheap_accounts(
    store: Accounts,
    *,
    random_bytes: Callable[[int], bytes] = secrets.token_bytes,
    clock: Clock = time.time,
    passwords: PasswordHashing = CHEAP,
) -> AccountService:
    return AccountService(store=store, passwords=passwords, random_bytes=random_bytes, clock=clock)


def server_accounts(store: Accounts) -> AccountService:
    """Accounts whose hashes are as a server makes them."""
    return cheap_accounts(store, passwords=OnceHashed())
