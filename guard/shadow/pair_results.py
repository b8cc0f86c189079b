"""What compared pairs show, for whoever traces the job that compared them."""

from __future__ import annotations

from collections.abc import Sequence

from guard.records import PairResult
from guard.shadow.cases import FlaggedPair
from guard.shadow.comparison import ComparedPair


def pair_results(
    compared: Sequence[ComparedPair], flagged: Sequence[FlaggedPair]
) -> tuple[PairResult, ...]:
    """One for each pair; controls are none. flagged: those among them that are put before people.

    Of two pairs with the same groups only the one with more flags is put before people.
    """
    reasons = {id(one.pair): sorted(each.reason for each in one.differences) for one in flagged}
    return tuple(
        _result(pair, tuple(reasons.get(id(pair), ())))
        for pair in compared
        if not pair.replies.is_control
    )


def _result(pair: ComparedPair, flags: tuple[str, ...]) -> PairResult:
    about = pair.replies
    return PairResult(
        attribute=about.attribute,
        first=about.first,
        second=about.second,
        source=about.source,
        differences={
            name: float(value) for name, value in pair.seen.tested.items() if value is not None
        },
        flags=flags,
    )
