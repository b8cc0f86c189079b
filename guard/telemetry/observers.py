"""Observers: many as one, and one that writes to the log."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable, Sequence

from guard.errors import may_be_signal
from guard.ports import Observer
from guard.records import Outcome, Span, Verdict

_log = logging.getLogger("guard.telemetry")
_LEVELS = {Verdict.FLAGGED: logging.INFO, Verdict.BLOCKED: logging.WARNING}


class Observers:
    """Many observers as one: hands every event to all members, in order.

    What one of them raises reaches neither the caller nor the others, `CancelledError` and the like
    included. Ctrl-C and `SystemExit` on the main thread go on once all have been told: they may
    come from a signal.

    failed: told the class name of a member that raised, usually `Metrics.observer_error`.
    The first failure of each member is logged with its traceback, later ones are only counted.
    """

    def __init__(self, members: Sequence[Observer], *, failed: Callable[[str], None]) -> None:
        self._members = tuple(members)
        self._failed = failed
        self._reported: set[str] = set()

    def outcome(self, outcome: Outcome) -> None:
        """A guarded call ended."""
        self._tell(lambda member: member.outcome(outcome))

    def upstream_error(self, use_case: str) -> None:
        """The wrapped function raised."""
        self._tell(lambda member: member.upstream_error(use_case))

    def _tell(self, event: Callable[[Observer], None]) -> None:
        of_the_call, signal = sys.exception(), None
        for member in self._members:
            try:
                event(member)
            except BaseException as error:
                if may_be_signal(error):
                    signal = signal or error
                else:
                    _part(error, of_the_call)
                    self._swallow(member)
        if signal is not None:
            raise signal

    def _swallow(self, member: Observer) -> None:
        name = type(member).__name__
        self._failed(name)
        if name not in self._reported:
            self._reported.add(name)
            _log.exception("observer %s failed; further failures are only counted", name)


def _part(error: BaseException, of_the_call: BaseException | None) -> None:
    """Take from `error` the exception of the call that was told about: it belongs to the caller,
    may quote texts, and would be logged in one traceback with `error`."""
    left, seen = [error], set[int]()
    while left:
        one = left.pop()
        seen.add(id(one))
        if one.__context__ is of_the_call:
            one.__context__ = None
        linked = (one.__cause__, one.__context__)
        left += [other for other in linked if other is not None and id(other) not in seen]


class LogObserver:
    """One JSON line in a standard logger for every call that was not simply released.

    Prompts and replies stay out of it unless `content` is set.
    """

    def __init__(self, logger: logging.Logger | None = None, *, content: bool = False) -> None:
        self._logger = logger or logging.getLogger("guard.outcomes")
        self._content = content

    def outcome(self, outcome: Outcome) -> None:
        """Log a call that was flagged, blocked or left unscored."""
        if outcome.verdict is Verdict.RELEASED:
            return
        level = _LEVELS.get(outcome.verdict, logging.WARNING)
        if self._logger.isEnabledFor(level):
            self._logger.log(level, "%s", json.dumps(self._line(outcome)))

    def upstream_error(self, use_case: str) -> None:
        """Log that the wrapped function raised; the exception itself belongs to the caller."""
        self._logger.warning("%s", json.dumps({"use_case": use_case, "event": "upstream_error"}))

    def _line(self, outcome: Outcome) -> dict[str, object]:
        line = describe(outcome)
        if self._content:
            line |= {"prompt": outcome.call.prompt, "reply": outcome.reply, "text": outcome.text}
        return line


def describe(outcome: Outcome) -> dict[str, object]:
    """What became of a call, without any of its texts."""
    return {
        "call": outcome.call.id,
        "use_case": outcome.call.use_case,
        "kind": outcome.call.kind.value,
        "event": outcome.verdict.value,
        "action": outcome.action.value,
        "observed_only": outcome.observed_only,
        "fired": {fired.score: round(fired.value, 4) for fired in outcome.fired},
        "second_looks": [look.result.value for look in outcome.second_looks],
        "unscored": outcome.unscored and outcome.unscored.value,
        "withheld": [_range(span) for span in outcome.withheld],
        "attempts": outcome.attempts,
        "added_seconds": round(outcome.added_seconds, 6),
    }


def _range(span: Span) -> tuple[int, int]:
    return span.start, span.end
