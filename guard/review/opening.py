"""From a case as it stands to what a certain person may see of it."""

from __future__ import annotations

from dataclasses import replace

from guard.records import CaseKind, CaseRecord, CaseState, Vote
from guard.review.body import body_of
from guard.review.order import sides_for
from guard.review.pair import Look, pair_view
from guard.review.records import Opened
from guard.review.response import response_view
from guard.review.views import PairView, ResponseView


def opened_for(filed: CaseRecord, reviewer: str, key: bytes, *, reveal: bool = False) -> Opened:
    """A case in front of `reviewer`. key: of the order of sides. reveal: all of it, whatever."""
    vote = vote_of(filed, reviewer)
    undecided = vote is None and filed.state is not CaseState.CLOSED and not reveal
    blind = undecided and filed.case.kind is CaseKind.PAIR
    return Opened(
        filed=_hidden(filed, undecided=undecided, blind=blind),
        view=_view(filed, reviewer, key, blind=blind),
        held=filed.holder == reviewer != "",
        blind=blind,
        verdict=vote.verdict if vote else "",
    )


def vote_of(filed: CaseRecord, reviewer: str) -> Vote | None:
    """This person's vote."""
    return next((vote for vote in filed.votes if vote.reviewer == reviewer), None)


def _hidden(filed: CaseRecord, *, undecided: bool, blind: bool) -> CaseRecord:
    """Without what would sway who has yet to decide."""
    case = replace(filed.case, body="", groups=() if blind else filed.case.groups)
    return replace(filed, case=case, votes=() if undecided else filed.votes)


def _view(
    filed: CaseRecord, reviewer: str, key: bytes, *, blind: bool
) -> PairView | ResponseView | None:
    body = body_of(filed.case.body)
    if body is None:
        return None
    if filed.case.kind is CaseKind.RESPONSE:
        return response_view(body)
    sides = sides_for(filed.case.id, reviewer, key)
    return pair_view(body, Look(attribute=filed.case.attribute, sides=sides, blind=blind))
