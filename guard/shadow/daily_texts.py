"""How much text cases of single replies keep each day."""

from __future__ import annotations

from dataclasses import replace
from math import inf

from guard.records import Case, Outcome
from guard.shadow.cases import CaseContext, response_case
from guard.shadow.daily_count import DailyCount
from guard.text import shortened

SHORT_PROMPT_CHARACTERS, SHORT_REPLY_CHARACTERS = 1_000, 4_000
"""Kept of a prompt and of a reply once the day's room is used up."""


class DailyTexts:
    """Whole texts up to so many bytes a day (UTC) for each use case, and short ones after that, so
    that a client whose replies are all withheld fills neither the spool nor the store. Thread-safe.
    """

    def __init__(self, most_bytes: float = inf) -> None:
        self._most_bytes = most_bytes
        self._kept = DailyCount()

    def case(self, outcome: Outcome, context: CaseContext, *, final: bool) -> Case | None:
        """The case of a reply on which a rule fired; None where none did. final: what it takes of
        the day's room is counted, once more of the reply cannot come."""
        case = response_case(outcome, context)
        if case is None or not final or self._has_room(case):
            return case
        return response_case(_short(outcome), context)

    def _has_room(self, case: Case) -> bool:
        kept = self._kept.add(case.use_case, len(case.body), case.opened_at)
        return kept <= self._most_bytes


def _short(outcome: Outcome) -> Outcome:
    prompt = shortened(outcome.call.prompt, SHORT_PROMPT_CHARACTERS)
    return replace(
        outcome,
        call=replace(outcome.call, prompt=prompt),
        reply=outcome.reply[:SHORT_REPLY_CHARACTERS],
        text=outcome.text[:SHORT_REPLY_CHARACTERS],
    )
