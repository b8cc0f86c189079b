"""The classifier of pairs that checks claims, and the model that lists them where one does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from guard.assessment.claim_lists import ClaimLists
from guard.assessment.generation import AskingCounts, AskingLimits, Interview
from guard.assessment.results import UsedModel
from guard.bootstrap.assessment import ModelToAsk, run_here_or_beside, used_model
from guard.records import Undefined
from guard.scoring import find_model, open_pair_classifier
from guard.scoring.claims import ClaimChecker
from guard.text.claims import Chances, ClaimedReply, claimed
from guard.text.plurals import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenClaims:
    """What checks claims. used: the model, for the provenance of what is made with it."""

    checker: ClaimChecker
    used: UsedModel


def open_claims(name: str, *, threads: int = 1) -> OpenClaims:
    """name: of a model or its folder. Raises ModelError where it is none, or none of pairs."""
    model = find_model(name)
    checker = ClaimChecker(open_pair_classifier(model, threads=threads))
    return OpenClaims(checker=checker, used=used_model("pairs", model))


@dataclass(kw_only=True, eq=False)
class ListedClaims:
    """Claims that a model lists. Lists that are not kept are asked for, within one budget."""

    lists: ClaimLists
    model: ModelToAsk
    limits: AskingLimits
    asked: AskingCounts = field(default_factory=AskingCounts)

    @property
    def used(self) -> UsedModel:
        """The model, for the provenance of what is made with it."""
        return UsedModel(role="claims", name=self.model.asked.name)

    def read(self, replies: Sequence[str]) -> list[ClaimedReply] | Undefined:
        """The claims of masked replies, or why there are not all of them.

        Raises SettingsError, StoreError, UpstreamError, UpstreamBusy.
        """
        self.asked += run_here_or_beside(self._ask(replies))
        found = [self.lists.claimed(reply) for reply in replies]
        listed = [one for one in found if one is not None]
        missing = len(found) - len(listed)
        if missing:
            return Undefined(reason=f"no list of claims of {counted(missing, 'reply', 'replies')}")
        return listed

    async def _ask(self, replies: Sequence[str]) -> AskingCounts:
        async with self.model.connected(self.limits.concurrency) as upstream:
            rest = self.limits.after(self.asked)
            return await Interview(upstream, self.lists.kept, rest).ask_all(
                self.lists.enquiries(replies)
            )


def claim_labels(
    checker: ClaimChecker, listed: ListedClaims | None = None
) -> Callable[[Sequence[str]], list[list[Chances]] | Undefined]:
    """Masked replies to the labels of their claims, or why there are none; without `listed`, each
    sentence that says something is a claim."""

    def labels(replies: Sequence[str]) -> list[list[Chances]] | Undefined:
        found = [claimed(one) for one in replies] if listed is None else listed.read(replies)
        return found if isinstance(found, Undefined) else checker.labels(found)

    return labels
