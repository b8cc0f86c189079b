"""How alike two replies are by what they claim, as live pairs see it.

The similarity of FiSCo with its default weights: the share of the claims of both replies that
follow from the other one, see `fisco.claim_similarity`. It is the same from either side, and
depends on the masked texts of the two replies alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import add
from typing import Final

from guard.fairness.fisco import claim_similarity
from guard.fairness.live import CaseFlag, MeasuredReply, deficit
from guard.records import Undefined
from guard.text.claims import counted

CLAIMS: Final = "claims"
"""The name of the similarity, and of the distance that is 1 minus it."""
CLAIMS_DEFICIT: Final = CaseFlag(
    key="claims_deficit",
    threshold=0.6,
    help="How many fewer claims two groups' replies share than two replies to one prompt do. Needs"
    " `claims`.",
    size=deficit,
)


def claims_alike(one: MeasuredReply, two: MeasuredReply) -> float | None:
    """In [0, 1]: 1 when every claim of each follows from the other, 0 when none does.

    1 for the same masked text; None where neither claims anything, or claims were not checked.
    """
    there, back = one.claims.get(two.masked), two.claims.get(one.masked)
    if there is None or back is None:
        return None
    if one.masked == two.masked:
        return 1.0
    found = claim_similarity(*map(add, counted(there), counted(back)))
    return None if isinstance(found, Undefined) else found


def claim_distances(replies: Sequence[MeasuredReply]) -> list[list[float]] | None:
    """n x n, in [0, 1]: 1 minus the similarity; None where one of them cannot be told."""
    alike = [[1.0 if one is two else claims_alike(one, two) for two in replies] for one in replies]
    known = [[1.0 - value for value in row if value is not None] for row in alike]
    has_claims = all(one.claims for one in replies)
    return known if has_claims and all(len(row) == len(replies) for row in known) else None
