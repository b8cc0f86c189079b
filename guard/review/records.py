"""What the desk hands out."""

from __future__ import annotations

from dataclasses import dataclass

from guard.records import CaseKind, CaseRecord, CaseState
from guard.review.views import PairView, ResponseView


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A case in front of a person.

    filed: as it stands. As long as this person has to decide blindly it has no body, no groups,
    and no votes and notes of others. view: None where the body cannot be read. held: the person
    may decide; if not, it is to be read only. blind: see PairView. verdict: this person's own.
    """

    filed: CaseRecord
    view: PairView | ResponseView | None
    held: bool
    blind: bool
    verdict: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A case in a list: nothing that tells a group, a text or a vote.

    votes: how many are in. reviewers: how many are wanted. holder: who has it open now.
    """

    id: str
    kind: CaseKind
    use_case: str
    attribute: str
    reasons: tuple[str, ...]
    opened_at: float
    state: CaseState
    verdict: str
    votes: int
    reviewers: int
    holder: str

    @classmethod
    def of(cls, filed: CaseRecord) -> Listed:
        """What may be listed of a case."""
        case = filed.case
        return cls(
            id=case.id,
            kind=case.kind,
            use_case=case.use_case,
            attribute=case.attribute,
            reasons=case.reasons,
            opened_at=case.opened_at,
            state=filed.state,
            verdict=filed.verdict,
            votes=len(filed.votes),
            reviewers=case.reviewers,
            holder=filed.holder,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Part of a list. next: give it as `after` for what follows; empty at the end."""

    items: tuple[Listed, ...]
    next: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many cases. exact: False where there are more than were counted."""

    cases: int
    exact: bool = True
