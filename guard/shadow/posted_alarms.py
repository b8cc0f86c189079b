"""Which alarms were sent to the owner's address, kept in the store.

An alarm is raised in one step and sent in a later one. A process that is killed in between leaves
an alarm that stands and was not sent: it is sent by whoever looks next. So each alarm is taken for
a while before it is sent, and ticked off when it was sent or given up. One whose process is killed
after it was sent and before it was ticked off is sent twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from enum import Enum, auto
from functools import partial
from typing import Any, Final

from guard.fairness.tally import key
from guard.ports import Clock, FactStore
from guard.shadow.monitor import TestKey, epochs_of

HELD_SECONDS: Final = 600.0
"""How long nobody else takes an alarm: longer than a few of them take with all their attempts."""

_Posts = dict[str, dict[str, Any]]


class PostState(Enum):
    """Of an alarm that stands: to be sent by whoever asked, by another process, or by nobody."""

    TAKEN = auto()
    HELD = auto()
    SENT = auto()


class PostedAlarms:
    """Shared by all processes with this store. Methods raise StoreError.

    clock: Unix seconds.
    """

    def __init__(self, facts: FactStore, use_cases: Collection[str], clock: Clock) -> None:
        self._facts = facts
        self._use_cases = tuple(use_cases)
        self._clock = clock

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
        use_case, test = alarm
        now, state = self._clock(), PostState.TAKEN

        def taken(found: _Posts | None) -> _Posts:
            nonlocal state
            state = _state((found or {}).get(test), number, now)
            mine = {"number": number, "held_until": now + HELD_SECONDS}
            return {**(found or {}), test: mine} if state is PostState.TAKEN else found or {}

        self._change(use_case, taken)
        return state

    def tick_off(self, alarm: TestKey) -> None:
        """It was sent, or given up."""
        use_case, test = alarm

        def ticked_off(found: _Posts | None) -> _Posts:
            kept = found or {}
            return {**kept, test: _sent(kept[test]["number"])} if test in kept else kept

        self._change(use_case, ticked_off)

    def _change(self, use_case: str, change: Callable[[_Posts | None], _Posts]) -> None:
        def changed(kept: str | None) -> str:
            return json.dumps(change(None if kept is None else json.loads(kept)), sort_keys=True)

        self._facts.update_fact(key("alarm_posts", use_case), changed)


def _kept_or(first: _Posts, found: _Posts | None) -> _Posts:
    return first if found is None else found


def _sent(number: int) -> dict[str, Any]:
    return {"number": number, "held_until": None}


def _state(known: dict[str, Any] | None, number: int, now: float) -> PostState:
    if known is None or known["number"] < number:
        return PostState.TAKEN
    if known["held_until"] is None:
        return PostState.SENT
    return PostState.TAKEN if known["held_until"] <= now else PostState.HELD
