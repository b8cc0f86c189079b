"""One JSON line in the log for every call that was not simply released."""

from __future__ import annotations

import json
import logging

from guard.records import Outcome, Span, Verdict

_LEVELS = {Verdict.FLAGGED: logging.INFO, Verdict.BLOCKED: logging.WARNING}


class LogObserver:
    """Writes to a standard logger; what is said and asked stays out unless `content` is set."""

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
        "event": outcome.verdict.value,
        "action": outcome.action.value,
        "observed_only": outcome.observed_only,
        "fired": {fired.score: round(fired.value, 4) for fired in outcome.fired},
        "unscored": outcome.unscored and outcome.unscored.value,
        "withheld": [_range(span) for span in outcome.withheld],
        "attempts": outcome.attempts,
        "added_seconds": round(outcome.added_seconds, 6),
    }


def _range(span: Span) -> tuple[int, int]:
    return span.start, span.end
