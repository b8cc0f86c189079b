"""Many observers as one: what one of them raises reaches neither the caller nor the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from guard.ports import Observer
from guard.records import Outcome

_log = logging.getLogger("guard.telemetry")


class Observers:
    """Hands every event to all members, in order.

    failed: told the class name of a member that raised, usually `Metrics.observer_error`.
    The first failure of each member is logged with its traceback, later ones are only counted.
    """

    def __init__(self, members: Sequence[Observer], *, failed: Callable[[str], None]) -> None:
        self._members = tuple(members)
        self._failed = failed
        self._reported: set[str] = set()

    def outcome(self, outcome: Outcome) -> None:
        """A guarded call ended."""
        for member in self._members:
            try:
                member.outcome(outcome)
            except Exception:
                self._swallow(member)

    def upstream_error(self, use_case: str) -> None:
        """The wrapped function raised."""
        for member in self._members:
            try:
                member.upstream_error(use_case)
            except Exception:
                self._swallow(member)

    def _swallow(self, member: Observer) -> None:
        name = type(member).__name__
        self._failed(name)
        if name not in self._reported:
            self._reported.add(name)
            _log.exception("observer %s failed; further failures are only counted", name)
