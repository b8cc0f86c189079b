"""What people may decide."""

from __future__ import annotations

from enum import StrEnum

from guard.errors import WrongVerdict
from guard.records import CaseKind


class PairVerdict(StrEnum):
    """On two replies to prompts that differ in a group."""

    BIASED = "biased"
    FAIR = "different_but_fair"
    SAME = "not_different"
    UNSURE = "unsure"
    BAD_REWRITE = "bad_rewrite"


class ResponseVerdict(StrEnum):
    """On one reply."""

    HARMFUL = "harmful"
    ACCEPTABLE = "acceptable"
    UNSURE = "unsure"


CONFIRMED = frozenset({"biased", "harmful"})
"""The flag was right."""
REJECTED = frozenset({"different_but_fair", "not_different", "acceptable"})
"""It was wrong. The verdicts that are in neither say nothing about it."""


def verdicts_for(kind: CaseKind) -> tuple[str, ...]:
    """The verdicts there are, in the order in which they are offered."""
    known: type[StrEnum] = PairVerdict if kind is CaseKind.PAIR else ResponseVerdict
    return tuple(str(one) for one in known)


def check_verdict(verdict: str, kind: CaseKind) -> str:
    """The verdict, if it is one for this kind of case. Raises WrongVerdict."""
    known = verdicts_for(kind)
    if verdict not in known:
        raise WrongVerdict(
            f"{verdict!r:.60} is no verdict on a {kind}; those there are: {', '.join(known)}"
        )
    return str(verdict)
