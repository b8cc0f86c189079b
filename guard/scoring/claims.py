"""Which claims of one reply follow from another: a classifier of pairs over claims and evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from guard.scoring.pairs import Pair, PairClassifier
from guard.text.claims import (
    Chances,
    CheckedClaim,
    Claim,
    ClaimedReply,
    ClaimEvidence,
    claimed,
    counted,
)

_ENTAILED: Chances = (1.0, 0.0, 0.0)
_NEUTRAL: Chances = (0.0, 1.0, 0.0)
_NO_CLAIMS = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AskedClaim:
    """Whether a claim follows from a premise; no premise where it needs no classifier."""

    claim: Claim
    pair: Pair | None
    known: Chances = _NEUTRAL


class ClaimChecker:
    """Checks claims of replies against other replies. Thread-safe."""

    def __init__(self, classifier: PairClassifier) -> None:
        self._classifier = classifier

    def check(
        self, replies: Sequence[ClaimedReply], pairs: Sequence[tuple[int, int]]
    ) -> list[tuple[CheckedClaim, ...]]:
        """For each pair of places (i, j), the claims of reply i against reply j.

        All of them are asked at once, equal ones once, and read in batches of like length.
        """
        evidence = [ClaimEvidence(reply.sentences) for reply in replies]
        asked = [
            tuple(_asked_claim(claim, evidence[other]) for claim in replies[one].claims)
            for one, other in pairs
        ]
        wanted = {question.pair: None for each in asked for question in each if question.pair}
        found = self._classifier.probabilities(list(wanted)).tolist() if wanted else []
        chances = dict(zip(wanted, map(_chances, found), strict=True))
        return [
            tuple(
                CheckedClaim(claim=one.claim, chances=chances[one.pair] if one.pair else one.known)
                for one in each
            )
            for each in asked
        ]

    def check_all(self, texts: Sequence[str]) -> list[list[tuple[CheckedClaim, ...]]]:
        """n x n, from masked replies: the claims of reply i against reply j, see `check`.

        Against itself all of them are entailed, which takes no classifier.
        """
        return self._check_matrix([claimed(text) for text in texts])

    def labels(self, replies: Sequence[ClaimedReply]) -> list[list[Chances]]:
        """n x n x 3 for `guard.fairness.claim_similarities`.

        How many claims of reply i are entailed, neutral and contradicted by reply j. A reply
        against itself has no claims.
        """
        return [
            [_NO_CLAIMS if one == other else counted(checked) for other, checked in enumerate(row)]
            for one, row in enumerate(self._check_matrix(replies))
        ]

    def _check_matrix(
        self, replies: Sequence[ClaimedReply]
    ) -> list[list[tuple[CheckedClaim, ...]]]:
        places = range(len(replies))
        found = iter(self.check(replies, list(product(places, places))))
        return [[next(found) for _ in places] for _ in places]


def _asked_claim(claim: Claim, evidence: ClaimEvidence) -> _AskedClaim:
    """A sentence that the other reply has word for word needs no classifier."""
    if claim.text in evidence.reply:
        return _AskedClaim(claim=claim, pair=None, known=_ENTAILED)
    premise = evidence.of(claim.text)
    return _AskedClaim(claim=claim, pair=(premise, claim.text) if premise else None)


def _chances(row: Sequence[float]) -> Chances:
    entailed, neutral, contradicted = row
    return entailed, neutral, contradicted
