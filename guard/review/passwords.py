"""Password hashes: Argon2id (RFC 9106); those made by version 0.1 are scrypt (RFC 7914).

Needs the extra `review`: imported only where accounts are opened.
"""

from __future__ import annotations

import hmac
from base64 import b64decode
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import scrypt
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

SCRYPT_PREFIX: Final = "$scrypt$"
SCRYPT_MAX_BYTES: Final = 256 * 1024 * 1024
_OTHER_SCRYPT: Final = f"{SCRYPT_PREFIX}n=65536,r=8,p=1${'A' * 22}==$"
"""Of the cost of version 0.1; its hash is empty, so that no password matches it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordHashing:
    """Makes and verifies hashes. argon2: the cost of new ones; the default takes 64 MiB."""

    argon2: PasswordHasher = field(default_factory=PasswordHasher)

    def hash(self, password: str) -> str:
        """A new hash, with a salt of its own."""
        return self.argon2.hash(_encode(password))

    def verify(self, password: str, kept: str, all_kept: Iterable[str]) -> bool:
        """Whether the password belongs to the hash `kept`; to an empty one none does.

        all_kept: the hashes of all accounts. One hash of each kind among them is made in any case,
        so that the time tells neither which names exist nor how old an account is.
        """
        is_scrypt = kept.startswith(SCRYPT_PREFIX)
        by_scrypt = any(one.startswith(SCRYPT_PREFIX) for one in all_kept) and _verify_scrypt(
            password, kept if is_scrypt else _OTHER_SCRYPT
        )
        by_argon2 = self._verify_argon2(password, "" if is_scrypt else kept)
        return by_scrypt or by_argon2

    def is_outdated(self, kept: str) -> bool:
        """Whether a hash was made in another way, or at another cost, than new ones are."""
        return kept.startswith(SCRYPT_PREFIX) or self.argon2.check_needs_rehash(kept)

    def _verify_argon2(self, password: str, kept: str) -> bool:
        if not kept:
            self.hash(password)
            return False
        try:
            return self.argon2.verify(kept, _encode(password))
        except (VerificationError, InvalidHashError):
            return False


def _verify_scrypt(password: str, kept: str) -> bool:
    """By `$scrypt$n=...,r=...,p=...$salt$hash`, salt and hash in base 64."""
    _, _, cost, salt, expected = kept.split("$")
    n, r, p = (int(one.partition("=")[2]) for one in cost.split(","))
    made = scrypt(
        _encode(password), salt=b64decode(salt), n=n, r=r, p=p, maxmem=SCRYPT_MAX_BYTES, dklen=32
    )
    return hmac.compare_digest(made, b64decode(expected))


def _encode(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")
