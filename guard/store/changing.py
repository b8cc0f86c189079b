"""What people do to one case, the same for every store: each only has to make a change whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from guard.records import CaseRecord, Vote
from guard.store import casework
from guard.store.casework import Change
from guard.store.checks import check_vote


class ChangingCases(ABC):
    """The methods of `ports.Cases` that look at a case and change it."""

    @abstractmethod
    def _change(
        self, case_id: str, how: Callable[[CaseRecord, float], Change | None]
    ) -> CaseRecord | None:
        """The case after the change, made with nobody between look and change; None where the
        case is not there or `how` refuses. how: called with the case and the time."""

    def hold(self, case_id: str, *, reviewer: str, seconds: float) -> bool:
        """See `ports.Cases`."""
        held = self._change(case_id, lambda one, now: casework.held(one, reviewer, now, seconds))
        return held is not None

    def leave(self, case_id: str, *, reviewer: str) -> bool:
        """See `ports.Cases`."""
        return self._change(case_id, lambda one, now: casework.left(one, reviewer, now)) is not None

    def vote(self, vote: Vote) -> CaseRecord | None:
        """See `ports.Cases`."""
        check_vote(vote)
        return self._change(vote.case_id, lambda one, now: casework.voted(one, vote, now))

    def unvote(self, case_id: str, *, reviewer: str, seconds: float) -> CaseRecord | None:
        """See `ports.Cases`."""
        return self._change(case_id, lambda one, now: casework.unvoted(one, reviewer, now, seconds))

    def close(self, case_id: str, *, by: str, verdict: str, note: str = "") -> CaseRecord | None:
        """See `ports.Cases`."""
        (by + verdict + note).encode()  # a lone surrogate can be kept nowhere
        return self._change(
            case_id,
            lambda one, now: casework.closed(one, by=by, verdict=verdict, note=note, now=now),
        )
