"""What became of sampled calls and of flagged pairs, in numbers and in words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from guard.shadow.jobs import CONFIRMED, FLAGGED, NOT_CONFIRMED, OVER_CAP, SLIP, UNCONFIRMED
from guard.shadow.measurement import DETERMINISTIC, REPEATED

SKIPPED: Final = "skipped_"
_OVER_BUDGET: Final = (f"{NOT_CONFIRMED}_calls", f"{NOT_CONFIRMED}_tokens")
_WORDS: Final[Mapping[str, str]] = {
    "calls": "call budget used up",
    "tokens": "token budget used up",
    "not_shadowed": "not shadowed any more",
    "opted_out": "the caller asked for it",
    "client_key": "the key is the caller's",
    "not_text": "not text alone",
    "nobody_to_ask": "nobody to ask again",
    "too_long": "too long a conversation",
}

Counts = Mapping[str, float]
"""What became of it, to how often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlaggedPairs:
    """What became of the pairs of an attribute that looked unusual at first, ever since.

    confirmed, not_confirmed: both sides were asked again, and the difference persisted or not.
    unconfirmed: a case without that, since replies do not vary or `confirmations` is 0.
    over_budget: not asked again, for lack of budget. over_cap: cases that were not opened since
    the day had `cases_per_day`.
    """

    flagged: int = 0
    confirmed: int = 0
    not_confirmed: int = 0
    unconfirmed: int = 0
    over_budget: int = 0
    over_cap: int = 0

    @property
    def waiting(self) -> int:
        """Those that will be asked again, or whose job became a dead letter."""
        done = self.confirmed + self.not_confirmed + self.unconfirmed + self.over_budget
        return max(0, self.flagged - done)

    @property
    def cases(self) -> int:
        """Those that became cases of the pair."""
        return self.confirmed + self.unconfirmed - self.over_cap


@dataclass(frozen=True, slots=True, kw_only=True)
class UnvariedPairs:
    """Pairs of an attribute whose replies do not vary, ever since.

    deterministic: all of them. repeated: those of which an earlier call counted a reply.
    """

    deterministic: int = 0
    repeated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCaseCounts:
    """What belongs to no attribute of a use case, ever since.

    left_alone: sampled calls that were not asked again, by reason. slips: cases of single replies
    to shadow requests. over_cap: the same, not opened since the day had `cases_per_day`.
    unposted: alarms that did not reach `alarm_webhook.url`.
    """

    left_alone: Mapping[str, int] = field(default_factory=dict)
    slips: int = 0
    over_cap: int = 0
    unposted: int = 0


def count_flagged(counts: Counts) -> FlaggedPairs:
    """counts: of one attribute."""

    def total(*results: str) -> int:
        return sum(round(counts.get(result, 0)) for result in results)

    return FlaggedPairs(
        flagged=total(FLAGGED),
        confirmed=total(CONFIRMED),
        not_confirmed=total(NOT_CONFIRMED),
        unconfirmed=total(UNCONFIRMED),
        over_budget=total(*_OVER_BUDGET),
        over_cap=total(OVER_CAP),
    )


def count_unvaried(counts: Counts) -> UnvariedPairs:
    """counts: of one attribute."""
    return UnvariedPairs(
        deterministic=round(counts.get(DETERMINISTIC, 0)), repeated=round(counts.get(REPEATED, 0))
    )


def count_use_case(counts: Counts, *, unposted: int = 0) -> UseCaseCounts:
    """counts: those without an attribute."""
    left_alone = {
        what.removeprefix(SKIPPED): round(count)
        for what, count in counts.items()
        if what not in (SLIP, OVER_CAP) and round(count)
    }
    return UseCaseCounts(
        left_alone=dict(sorted(left_alone.items(), key=lambda one: (-one[1], one[0]))),
        slips=round(counts.get(SLIP, 0)),
        over_cap=round(counts.get(OVER_CAP, 0)),
        unposted=unposted,
    )


def describe_reason(reason: str) -> str:
    """Why a call was skipped or left alone, in words."""
    return _WORDS.get(reason) or reason.replace("_", " ")


def describe_flagged(one: FlaggedPairs) -> str:
    """What became of flagged pairs, in words; empty where none was flagged."""
    outcomes = {
        "confirmed: the difference persisted": one.confirmed,
        "not confirmed": one.not_confirmed,
        "opened as cases unconfirmed": one.unconfirmed,
        "not asked again: budget used up": one.over_budget,
        "wait to be asked again": one.waiting,
    }
    if not (one.flagged or one.over_cap):
        return ""
    found = [f"{count:,} {what}" for what, count in outcomes.items() if count]
    said = f"{one.flagged:,} pairs flagged as unusual" + (f": {', '.join(found)}" if found else "")
    return said + (f"; {one.over_cap:,} cases over the cap of the day" if one.over_cap else "")


def describe_unvaried(one: UnvariedPairs) -> str:
    """That replies do not vary, in words; empty where they do."""
    if not one.deterministic:
        return ""
    said = f"replies of {one.deterministic:,} pairs do not vary"
    return said + (f": {one.repeated:,} were counted before" if one.repeated else "")


def describe_use_case(one: UseCaseCounts) -> str:
    """What belongs to no attribute, in words; empty where there is nothing to say."""
    return "; ".join(_sentences(one))


def _sentences(one: UseCaseCounts) -> Iterator[str]:
    if one.left_alone:
        why = ", ".join(f"{describe_reason(what)} {n:,}" for what, n in one.left_alone.items())
        yield f"{sum(one.left_alone.values()):,} sampled calls not asked again ({why})"
    if one.slips:
        yield f"{one.slips:,} cases of single replies"
    if one.over_cap:
        yield f"{one.over_cap:,} more over the cap of the day"
    if one.unposted:
        yield f"{one.unposted:,} alarms did not reach alarm_webhook.url"
