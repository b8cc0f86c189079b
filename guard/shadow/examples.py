"""What a candidate policy would do otherwise: the counts of it, and replies kept as examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from guard.records import Case, Outcome, ResponseBody, decode_response, encode_body
from guard.shadow.cases import CaseContext, case_id, response_case
from guard.shadow.daily_count import DailyCount

EXAMPLES_PER_DAY: Final = 10
"""Of each change of action in a use case, that one process keeps."""
OPTED_OUT: Final = "opted_out"
"""`Call.never_shadowed` of a client that does not want its texts used for anything else."""


def no_epoch(_: str) -> str:
    """No use case has a candidate policy."""
    return ""


def candidate_sums(outcome: Outcome, epoch: str) -> dict[str, Mapping[str, float]]:
    """One more reply judged by both policies, under the name of their epoch; empty for none."""
    found = outcome.candidate
    return {epoch: {found.change: 1.0}} if found and epoch else {}


def example_case(outcome: Outcome, context: CaseContext, epoch: str) -> Case | None:
    """A reply that a candidate policy treats otherwise, as a case that nobody votes on.

    None where no score speaks for the difference. epoch: of the two policies, among the reasons.
    """
    found = outcome.candidate
    if found is None:
        return None
    case = response_case(replace(outcome, fired=found.fired or outcome.fired), context)
    if case is None:
        return None
    body = decode_response(case.body) or ResponseBody()
    actions = replace(body, action=str(found.present), candidate=str(found.action))
    return replace(
        case,
        id=case_id("example", outcome.call.id),
        reasons=tuple(sorted((found.change, epoch))),
        body=encode_body(actions),
        reviewers=0,
        priority=0.0,
    )


class DailyExamples:
    """Admits so many examples a day (UTC) of each change of action in a use case. Thread-safe."""

    def __init__(self, most: int = EXAMPLES_PER_DAY) -> None:
        self._most = most
        self._kept = DailyCount()

    def admit(self, outcome: Outcome, at_seconds: float) -> bool:
        """Whether a reply becomes an example: it is treated otherwise, there is room for it today,
        and its client did not opt out, since nothing else would keep such a text."""
        found = outcome.candidate
        if found is None or not found.differs or outcome.call.never_shadowed == OPTED_OUT:
            return False
        kept = self._kept.add((outcome.call.use_case, found.change), 1, at_seconds)
        return kept <= self._most
