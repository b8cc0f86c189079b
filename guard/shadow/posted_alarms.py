"""Which alarms were sent to the owner's address, kept in the store.

An alarm is raised in one step and sent in a later one. A process that is killed in between leaves
an alarm that stands and was not sent: it is sent by whoever looks next. So each alarm is taken for
a while before it is sent, and ticked off when it was sent or given up. A process that ends in order
releases what it has not sent. One whose process is killed after it was sent and before it was
ticked off is sent twice; its number tells that it is the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from enum import Enum, auto
from functools import partial
from secrets import token_hex
from typing import Any, Final

from guard.fairness.tally import key
from guard.ports import Clock, FactStore
from guard.shadow.monitor import TestKey, epochs_of

HELD_SECONDS: Final = 600.0
"""How long nobody else takes an alarm, from when its delivery begins: longer than that takes with
all attempts at the longest `alarm_webhook.timeout_seconds`, so that no two processes send it. The
alarm of a process that was killed is sent so much later."""

_Post = dict[str, Any]
_Posts = dict[str, _Post]


class PostState(Enum):
    """Of an alarm that stands: to be sent by whoever asked, by another process, or by nobody."""

    TAKEN = auto()
    HELD = auto()
    SENT = auto()


class PostedAlarms:
    """Shared by all processes with this store. Methods raise StoreError.

    clock: Unix seconds. new_token: text that tells this process from all others.
    """

    def __init__(
        self,
        facts: FactStore,
        use_cases: Collection[str],
        clock: Clock,
        *,
        new_token: Callable[[], str] = lambda: token_hex(8),
    ) -> None:
        self._facts = facts
        self._use_cases = tuple(use_cases)
        self._clock = clock
        self._holder = new_token()

    def begin(self) -> None:
        """Count what stands since before this was kept as sent. Call it before any is raised."""
        for use_case in self._use_cases:
            epochs = epochs_of(self._facts, use_case)
            standing = {test: _sent(one.alarms) for test, one in epochs.items() if one.alarmed}
            self._change(use_case, partial(_kept_or, standing))

    def take(self, alarm: TestKey, number: int) -> PostState:
        """Take an alarm that stands, unless it was sent or another process has it.

        number: how many alarms of this test there were with it.
        """
        now, state = self._clock(), PostState.TAKEN

        def taken(known: _Post | None) -> _Post | None:
            nonlocal state
            state = _state(known, number, now)
            return self._mine(number, now) if state is PostState.TAKEN else known

        self._change_one(alarm, taken)
        return state

    def renew(self, alarm: TestKey, number: int) -> bool:
        """Hold it for the full time again; False where it is another's by now, or was sent."""
        now, is_held = self._clock(), False

        def renewed(known: _Post | None) -> _Post | None:
            nonlocal is_held
            is_held = self._holds(known, number)
            return self._mine(number, now) if is_held else known

        self._change_one(alarm, renewed)
        return is_held

    def release(self, alarm: TestKey, number: int) -> None:
        """It was not sent: whoever looks next may take it."""

        def released(known: _Post | None) -> _Post | None:
            return self._mine(number, -HELD_SECONDS) if self._holds(known, number) else known

        self._change_one(alarm, released)

    def tick_off(self, alarm: TestKey, number: int) -> None:
        """It was sent, or given up. The next alarm of the same test is another one."""

        def ticked_off(known: _Post | None) -> _Post | None:
            return _sent(number) if known and known["number"] == number else known

        self._change_one(alarm, ticked_off)

    def _mine(self, number: int, now: float) -> _Post:
        return {"number": number, "held_until": now + HELD_SECONDS, "holder": self._holder}

    def _holds(self, known: _Post | None, number: int) -> bool:
        if known is None:
            return False
        return (known["number"], known.get("holder")) == (number, self._holder)

    def _change_one(self, alarm: TestKey, change: Callable[[_Post | None], _Post | None]) -> None:
        use_case, test = alarm

        def changed(found: _Posts | None) -> _Posts:
            kept = found or {}
            post = change(kept.get(test))
            return kept if post is None else {**kept, test: post}

        self._change(use_case, changed)

    def _change(self, use_case: str, change: Callable[[_Posts | None], _Posts]) -> None:
        def changed(kept: str | None) -> str:
            return json.dumps(change(None if kept is None else json.loads(kept)), sort_keys=True)

        self._facts.update_fact(key("alarm_posts", use_case), changed)


def _kept_or(first: _Posts, found: _Posts | None) -> _Posts:
    return first if found is None else found


def _sent(number: int) -> _Post:
    return {"number": number, "held_until": None}


def _state(known: _Post | None, number: int, now: float) -> PostState:
    """A hold that ends later than any can was made by a clock that was ahead: it is none."""
    if known is None or known["number"] < number:
        return PostState.TAKEN
    if known["held_until"] is None:
        return PostState.SENT
    is_held = now < known["held_until"] <= now + HELD_SECONDS
    return PostState.HELD if is_held else PostState.TAKEN
