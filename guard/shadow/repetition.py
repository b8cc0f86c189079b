"""Pairs whose replies do not vary, and which of them say nothing new.

A model whose replies do not vary gives the same one to the same prompt. Whichever way a difference
leans there was tossed once, and a test that added it up whenever the prompt comes again would take
one toss for many. So:

- Evidence takes a pair only if no reply of it was counted in an earlier call of the same epochs.
  Pairs of one prompt with several groups share a reply, and lean the same way by it, as do prompts
  that become the same text when they are rewritten.
- Readings and flags take a pair once a day. Their windows move on, and a prompt that is asked every
  day is to be seen in them.

The same prompt with another reply is new. So is one that comes again when many others have passed,
see `counted_replies`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain

from guard.fairness.generation import SAID
from guard.fairness.live import Comparison, Replies
from guard.records import Turn
from guard.shadow.comparison import ComparedPair
from guard.shadow.daily_cases import DAY

NoteDigests = Callable[[Collection[str]], Collection[str]]
"""Of these digests, those that an earlier call noted; see `counted_replies.NoteReplies`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Pairs of one call, by their place.

    deterministic: their replies do not vary. counted: of these, a reply of theirs was counted in an
    earlier call. compared: all of it was compared in an earlier call of the day.
    """

    deterministic: frozenset[int] = frozenset()
    counted: frozenset[int] = frozenset()
    compared: frozenset[int] = frozenset()


NO_REPETITION = Repetition()
FindRepetition = Callable[[Sequence[ComparedPair]], Repetition]


def none_repeated(_: Sequence[ComparedPair]) -> Repetition:
    """All of them are new."""
    return NO_REPETITION


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyDigests:
    """Makes the digests of a call. key: of the hash, secret, at most 64 bytes. system: what
    identifies the system that evidence is filed about. at_seconds: when the call was, Unix time."""

    key: bytes = field(repr=False)
    system: Sequence[str | int]
    at_seconds: float

    def of_sides(self, pair: ComparedPair) -> tuple[str, str]:
        """Of either conversation with its replies."""
        sides = zip((pair.first_turns, pair.second_turns), pair.replies.fresh.sides, strict=True)
        first, second = (self._of_side(pair.replies.attribute, *side) for side in sides)
        return first, second

    def of_the_day(self, sides: Collection[str]) -> str:
        """Of a pair with these digests of its sides, on the day of the call."""
        return self._digest(int(self.at_seconds // DAY), *sorted(sides))

    def of_job(self, job: str) -> str:
        """Of the key of a job."""
        return self._digest(job)[:8]

    def _of_side(self, attribute: str, turns: Sequence[Turn], replies: Replies) -> str:
        asked = [[turn.role, turn.content] for turn in turns]
        said = sorted({(one.text, str(one.ending)) for one in replies})
        return self._digest(*self.system, attribute, asked, said)

    def _digest(self, *what: object) -> str:
        text = json.dumps(what)
        return blake2b(text.encode(), digest_size=8, key=self.key).hexdigest()


def deterministic_pairs(pairs: Sequence[ComparedPair], *, varied: bool) -> tuple[int, ...]:
    """The places of pairs whose replies do not vary. varied: they are not known to be so."""
    return tuple(
        at
        for at, pair in enumerate(pairs)
        if _is_complete(pair.replies.fresh) and (pair.replies.is_deterministic or not varied)
    )


def find_repetition(
    pairs: Sequence[ComparedPair],
    deterministic: Sequence[int],
    digests: ReplyDigests,
    note: NoteDigests,
) -> Repetition:
    """What of these pairs is no news. deterministic: the places of those that are noted, and of no
    others. Raises StoreError."""
    sides = {at: digests.of_sides(pairs[at]) for at in deterministic}
    tested = {at: own for at, own in sides.items() if not pairs[at].replies.is_control}
    days = {at: digests.of_the_day(own) for at, own in sides.items()}
    known = frozenset(note({*chain(*tested.values()), *days.values()}))
    return Repetition(
        deterministic=frozenset(sides),
        counted=frozenset(at for at, own in tested.items() if known.intersection(own)),
        compared=frozenset(at for at, day in days.items() if day in known),
    )


def _is_complete(pair: Comparison) -> bool:
    """Whether every reply came: one that was late or failed may come the next time."""
    return all(side and all(one.ending in SAID for one in side) for side in pair.sides)
