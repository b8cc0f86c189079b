"""How often a password may be tried: by whom, from where, and for which name.

Whoever knows a name can use up what everybody has for it, and nobody else should be kept out by
that. So a browser in which this name was signed in before has tries of its own (the device cookies
of OWASP's Authentication Cheat Sheet), and so has each address; only far more tries than those are
too many for a name.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address
from typing import Final, Literal, TypeAlias

from guard.ports import Clock
from guard.review.accounts import folded_name
from guard.review_web.options import ReviewOptions

MAX_KEYS: Final = 50_000
"""Names, addresses and so on kept; beyond it those that were quiet longest are forgotten."""
_HOST_BITS: Final = 64
"""Of an IPv6 address: whoever has one has all of its network."""

_SHARED: Final = frozenset({"name", "address"})
"""Counted for many people together: one who gets in says nothing of the others."""

AttemptKey: TypeAlias = tuple[Literal["name", "name_from", "user", "browser", "address"], str]
"""What attempts are counted by."""


def sign_in_keys(name: str, address: str, browser: str = "") -> tuple[AttemptKey, ...]:
    """By what an attempt to sign in is counted.

    address: empty where it is not known. browser: the id of one in which this name was signed in
    before; empty for any other.
    """
    if browser:
        return (("browser", browser),)
    place, name = _subscriber(address), folded_name(name)
    if not place:
        return (("name", name),)
    return (("name", name), ("name_from", f"{place} {name}"), ("address", place))


def _subscriber(address: str) -> str:
    """An address, or the network of an IPv6 one."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return str(IPv6Address(int(found) >> _HOST_BITS << _HOST_BITS))
    return address


def change_keys(user: str) -> tuple[AttemptKey, ...]:
    """The same for the password of somebody who is signed in: strangers cannot use it up."""
    return (("user", user),)


class SignInLimiter:
    """Counts attempts before the password is checked, so that many at once are no way around it.

    Attempts to sign in are counted by `sign_in_keys`; those of somebody who is signed in, and
    changes a password, by that user alone.
    """

    def __init__(self, options: ReviewOptions) -> None:
        self._limits = {
            "name": options.tries_per_name,
            "name_from": options.tries,
            "user": options.tries,
            "browser": options.tries,
            "address": options.tries_per_address,
        }
        self._seconds = options.tries_seconds
        self._clock: Clock = options.clock
        self._attempts: OrderedDict[AttemptKey, deque[float]] = OrderedDict()
        self._lock = threading.Lock()

    def attempt(self, keys: Sequence[AttemptKey]) -> float:
        """Count an attempt; seconds to wait before it is allowed, 0.0 if it is allowed now.

        An attempt that must wait is not counted, but what it waits for is not quiet either.
        """
        now = self._clock()
        with self._lock:
            waits = {key: self._wait(key, now) for key in keys}
            wait = max(waits.values())
            for key in keys:
                if wait <= 0:
                    self._record(key, now)
                elif waits[key] > 0:
                    self._attempts.move_to_end(key)
        return max(wait, 0.0)

    def succeeded(self, keys: Sequence[AttemptKey]) -> None:
        """The password was right: forget this attempt, and what only this person has tried."""
        self.withdraw(keys)
        with self._lock:
            for key in keys:
                if key[0] not in _SHARED:
                    self._attempts.pop(key, None)

    def withdraw(self, keys: Sequence[AttemptKey]) -> None:
        """Forget this attempt: no password was checked."""
        with self._lock:
            for key in keys:
                times = self._attempts.get(key)
                if times:
                    times.pop()
                if times is not None and not times:
                    del self._attempts[key]

    def _wait(self, key: AttemptKey, now: float) -> float:
        times = self._attempts.get(key, deque())
        while times and not 0 <= now - times[0] < self._seconds:  # or the clock was set back
            times.popleft()
        full = len(times) >= self._limits[key[0]]
        return times[0] + self._seconds - now if full else 0.0

    def _record(self, key: AttemptKey, now: float) -> None:
        self._attempts.setdefault(key, deque()).append(now)
        self._attempts.move_to_end(key)
        while len(self._attempts) > MAX_KEYS:
            self._attempts.popitem(last=False)
