"""Which cases of the queue come before others, so that pairs stay blind."""

from __future__ import annotations

from guard.ports import Cases
from guard.records import CaseFilter, CaseKind, CaseRecord, CaseState
from guard.review.case_view import vote_of

_MOST_OF_A_CALL = 100


def comes_later(cases: Cases, record: CaseRecord, reviewer: str) -> bool:
    """Whether other cases come before this one for this reviewer.

    A reply as it was tells which side of a pair of the same call is which. So it comes after the
    pair, and a pair whose reply the reviewer has voted on comes last.
    """
    if not record.case.call_id:
        return False
    of_call = cases.query(CaseFilter(call_id=record.case.call_id), limit=_MOST_OF_A_CALL)
    others = [one for one in of_call if one.case.id != record.case.id]
    if record.case.kind is CaseKind.PAIR:
        return any(vote_of(one, reviewer) for one in others if one.case.kind is not CaseKind.PAIR)
    return any(
        one.case.kind is CaseKind.PAIR
        and one.state is CaseState.OPEN
        and vote_of(one, reviewer) is None
        for one in others
    )
