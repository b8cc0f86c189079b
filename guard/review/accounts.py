"""Who may sign in, and as what. Passwords are kept as scrypt hashes alone.

C. Percival, Stronger Key Derivation via Sequential ReviewerMemory-Hard Functions, 2009; RFC 7914.
"""

from __future__ import annotations

import hmac
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from hashlib import scrypt
from typing import Final

from guard.errors import ReviewError
from guard.ports import Windows

FACT: Final = "users"
SHORTEST_PASSWORD: Final = 12
LONGEST_PASSWORD: Final = 1024
SALT_BYTES: Final = 16
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}\Z")
_MEMORY: Final = 256 * 1024 * 1024


class Role(StrEnum):
    """What a person may do: judge; also settle disputes; also see the audit, people and exports."""

    REVIEWER = "reviewer"
    ADJUDICATOR = "adjudicator"
    ADMIN = "admin"

    def includes(self, needed: Role) -> bool:
        """Whether this role includes the other one."""
        order = list(Role)
        return order.index(self) >= order.index(needed)


class AccountError(ReviewError):
    """A name, password or role cannot be. The message says what is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScryptCost:
    """What one hash costs: 128 * n * r bytes of memory, p times. The defaults take 64 MiB."""

    n: int = 2**16
    r: int = 8
    p: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """One person. generation: another one when all of the person's sessions shall end."""

    name: str
    role: Role
    generation: int = 1
    disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """As it is kept: with the hash, in base 64."""

    role: str
    salt: str
    hash: str
    n: int
    r: int
    p: int
    generation: int = 0
    disabled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountService:
    """Everybody who may sign in. Methods raise StoreError.

    random_bytes: so many, secret. cost: of new hashes; old ones keep theirs.
    """

    windows: Windows
    random_bytes: Callable[[int], bytes]
    cost: ScryptCost = field(default_factory=ScryptCost)

    def users(self) -> Sequence[User]:
        """All of them, by name."""
        return [_user(name, kept) for name, kept in sorted(self._read().items())]

    def user(self, name: str) -> User | None:
        """One of them."""
        kept = self._read().get(name)
        return _user(name, kept) if kept else None

    def add(self, name: str, password: str, role: Role) -> User:
        """A new person. Raises AccountError for what cannot be, or a name that is taken."""
        if not _NAME.match(name):
            raise AccountError(
                "a name is 1 to 64 of letters, digits, dot, dash, underscore and @, the first one"
                " a letter or digit"
            )
        begun = int.from_bytes(self.random_bytes(6))  # no session of a namesake before is valid
        made = replace(self._made(password, role), generation=begun)

        def adding(known: dict[str, _Kept]) -> dict[str, _Kept]:
            if name in known:
                raise AccountError(f"there is a {name} already")
            return {**known, name: made}

        return _user(name, self._change(adding)[name])

    def remove(self, name: str) -> None:
        """Whoever it is cannot sign in any more. Votes and the audit stay. Raises AccountError."""

        def removing(known: dict[str, _Kept]) -> dict[str, _Kept]:
            _known(known, name)
            return {other: kept for other, kept in known.items() if other != name}

        self._change(removing)

    def set_password(self, name: str, password: str) -> User:
        """A new password; all sessions end. Raises AccountError."""
        made = self._made(password, Role.REVIEWER)
        return self._alter(
            name,
            lambda kept: replace(
                made, role=kept.role, disabled=kept.disabled, generation=kept.generation + 1
            ),
        )

    def set_role(self, name: str, role: Role) -> User:
        """Another role; all sessions end, so that none has the old one. Raises AccountError."""
        return self._alter(
            name, lambda kept: replace(kept, role=str(role), generation=kept.generation + 1)
        )

    def set_disabled(self, name: str, disabled: bool) -> User:
        """Shut somebody out, or let in again; all sessions end. Raises AccountError."""
        return self._alter(
            name, lambda kept: replace(kept, disabled=disabled, generation=kept.generation + 1)
        )

    def sign_out_everywhere(self, name: str) -> User:
        """End all sessions of somebody. Raises AccountError."""
        return self._alter(name, lambda kept: replace(kept, generation=kept.generation + 1))

    def check(self, name: str, password: str) -> User | None:
        """Who this is; None for a wrong name or password, or somebody shut out.

        A hash is made and compared in any case, so that the time it takes tells nobody which
        names there are.
        """
        known = self._read().get(name)
        kept = known or _nobody(self.cost)
        made = _hash(password[: LONGEST_PASSWORD + 1], b64decode(kept.salt), _cost(kept))
        same = hmac.compare_digest(made, b64decode(kept.hash))
        fits = same and known is not None and not known.disabled
        return _user(name, kept) if fits and len(password) <= LONGEST_PASSWORD else None

    def _made(self, password: str, role: Role) -> _Kept:
        if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
            raise AccountError(
                f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters"
            )
        salt = self.random_bytes(SALT_BYTES)
        made = _hash(password, salt, self.cost)
        return _Kept(
            role=str(role),
            salt=b64encode(salt).decode(),
            hash=b64encode(made).decode(),
            n=self.cost.n,
            r=self.cost.r,
            p=self.cost.p,
        )

    def _alter(self, name: str, how: Callable[[_Kept], _Kept]) -> User:
        def altering(known: dict[str, _Kept]) -> dict[str, _Kept]:
            return {**known, name: how(_known(known, name))}

        return _user(name, self._change(altering)[name])

    def _read(self) -> dict[str, _Kept]:
        return _parsed(self.windows.fact(FACT))

    def _change(self, how: Callable[[dict[str, _Kept]], dict[str, _Kept]]) -> dict[str, _Kept]:
        """By comparing and swapping, so that nobody's change is lost."""
        while True:
            fact = self.windows.fact(FACT)
            changed = how(_parsed(fact))
            written = {name: asdict(kept) for name, kept in changed.items()}
            new = json.dumps(written, sort_keys=True)
            if self.windows.swap(FACT, expected=fact, new=new):
                return changed


def _user(name: str, kept: _Kept) -> User:
    return User(name=name, role=Role(kept.role), generation=kept.generation, disabled=kept.disabled)


def _known(known: dict[str, _Kept], name: str) -> _Kept:
    if name not in known:
        raise AccountError(f"there is no {name:.64}")
    return known[name]


def _parsed(fact: str | None) -> dict[str, _Kept]:
    return {name: _Kept(**kept) for name, kept in json.loads(fact or "{}").items()}


def _nobody(cost: ScryptCost) -> _Kept:
    """Somebody whose password cannot be guessed, since no hash is that short."""
    salt = b64encode(bytes(SALT_BYTES)).decode()
    return _Kept(role=Role.REVIEWER, salt=salt, hash="", n=cost.n, r=cost.r, p=cost.p)


def _cost(kept: _Kept) -> ScryptCost:
    return ScryptCost(n=kept.n, r=kept.r, p=kept.p)


def _hash(password: str, salt: bytes, cost: ScryptCost) -> bytes:
    return scrypt(
        password.encode("utf-8", "surrogatepass"),
        salt=salt,
        n=cost.n,
        r=cost.r,
        p=cost.p,
        maxmem=_MEMORY,
        dklen=32,
    )
