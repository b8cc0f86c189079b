"""What candidate policies would have done otherwise, with examples. For administrators: an example
shows a reply as it was, which may be one side of a pair that a reviewer has to judge blindly."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Protocol

from guard.ports import Cases, Clock, Windows
from guard.records import (
    Action,
    CandidateDecision,
    CaseFilter,
    CaseRecord,
    CaseState,
    decode_response,
)
from guard.review.case_view import response_view
from guard.review.views import ResponseView

EXAMPLES: Final = 5
"""The latest ones of each change of action that are shown."""
_DAY_SECONDS: Final = 86_400.0
_LOOKED_BACK_DAYS: Final = (1, 7, 90)
_MOST_READ: Final = 200


class CandidateStore(Windows, Cases, Protocol):
    """A store, as far as candidates need it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChange:
    """The rules for one score, as the settings have them: those in force and the candidate's."""

    score: str
    present: str
    candidate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePolicy:
    """A candidate. epoch: under which name its decisions are counted. rules: that differ."""

    epoch: str
    rules: tuple[RuleChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateExample:
    """A reply that the candidate treats otherwise. opened_at: Unix seconds."""

    call_id: str
    opened_at: float
    view: ResponseView


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateChange:
    """Replies for which the two policies ask for these actions, and the latest examples."""

    decision: CandidateDecision
    replies: int
    examples: tuple[CandidateExample, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateReport:
    """What the candidate of a use case would have done since it, or the policy, was changed.

    replies: judged by both. changes: those with other actions first, the most frequent first.
    """

    use_case: str
    policy: CandidatePolicy
    replies: int
    changes: tuple[CandidateChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateReader:
    """Reports of the use cases that have a candidate. Methods raise StoreError.

    policy_of: the candidate of a use case. declared: use cases; empty is all that have sums in the
    store. clock: Unix seconds.
    """

    store: CandidateStore
    policy_of: Callable[[str], CandidatePolicy | None]
    declared: Collection[str]
    clock: Clock

    def use_cases(self) -> list[str]:
        """Those with a candidate, sorted."""
        known = self.declared or self.store.use_cases()
        return sorted(name for name in known if self.policy_of(name) is not None)

    def read(self, use_case: str) -> CandidateReport | None:
        """Of one of them; None for any other."""
        policy = self.policy_of(use_case)
        if policy is None:
            return None
        sums = self.store.evidence(use_case, [policy.epoch])[policy.epoch]
        examples = list(self._examples(use_case, policy.epoch))
        changes = [
            CandidateChange(
                decision=decision,
                replies=round(sums[decision.change]),
                examples=_latest(examples, decision.change),
            )
            for decision in _decisions()
            if sums.get(decision.change, 0.0) > 0
        ]
        changes.sort(key=lambda one: (not one.decision.differs, -one.replies))
        return CandidateReport(
            use_case=use_case,
            policy=policy,
            replies=sum(one.replies for one in changes),
            changes=tuple(changes),
        )

    def _examples(self, use_case: str, epoch: str) -> Sequence[CaseRecord]:
        """Some of the last day; where there are none, of the last week, and so on."""
        for days in _LOOKED_BACK_DAYS:
            where = CaseFilter(
                use_case=use_case,
                state=CaseState.EXAMPLE,
                reason=epoch,
                opened_after=self.clock() - days * _DAY_SECONDS,
            )
            if found := self.store.query(where, limit=_MOST_READ):
                return found
        return ()


def _decisions() -> Iterator[CandidateDecision]:
    for present, action in product(Action, Action):
        yield CandidateDecision(present=present, action=action)


def _latest(records: Sequence[CaseRecord], change: str) -> tuple[CandidateExample, ...]:
    found = [one.case for one in records if change in one.case.reasons]
    bodies = ((case, decode_response(case.body)) for case in reversed(found[-EXAMPLES:]))
    return tuple(
        CandidateExample(call_id=case.call_id, opened_at=case.opened_at, view=response_view(body))
        for case, body in bodies
        if body is not None
    )
