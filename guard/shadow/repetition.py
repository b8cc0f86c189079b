"""Pairs whose replies do not vary, and which of them say nothing new.

A model whose replies do not vary gives the same one to the same prompt. Whichever way a difference
leans there was tossed once, and a test that added it up whenever the prompt comes again would take
one toss for many. So:

- Evidence takes a pair only if no reply of it was counted in an earlier call of the same epochs.
  Pairs of one prompt with several groups share a reply, and lean the same way by it, as do prompts
  that become the same text when they are rewritten.
- Evidence of how far replies are apart takes a conversation once, whatever was replied: another
  group is reached by the same words each time, and what these words do to the replies is tossed
  once, even if replies vary. So none of the three conversations may have been compared so before.
- Readings and flags take a pair once a day. Their windows move on, and a prompt that is asked every
  day is to be seen in them.

The same prompt with another reply is new. So is one that comes again when many others have passed,
see `counted_replies`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain

from guard.fairness.generation import SAID
from guard.fairness.live import Comparison, Replies
from guard.records import Turn
from guard.shadow.comparison import ComparedPair, controls_of
from guard.shadow.daily_cases import DAY

NoteDigests = Callable[[Collection[str]], Collection[str]]
"""Of these digests, those that an earlier call noted; see `counted_replies.NoteReplies`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """Pairs of one call, by their place.

    deterministic: their replies do not vary. counted: of these, a reply of theirs was counted in an
    earlier call. compared: all of it was compared in an earlier call of the day. contrasted: one of
    its conversations was compared with a control in an earlier call.
    """

    deterministic: frozenset[int] = frozenset()
    counted: frozenset[int] = frozenset()
    compared: frozenset[int] = frozenset()
    contrasted: frozenset[int] = frozenset()


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

    def of_conversations(self, pair: ComparedPair, control: ComparedPair) -> frozenset[str]:
        """Of the conversation, of that about another group, and of its control."""
        turns = (pair.first_turns, pair.second_turns, control.first_turns, control.second_turns)
        about = pair.replies.attribute
        return frozenset(self._digest(*self.system, about, _asked(one)) for one in turns)

    def of_the_day(self, sides: Collection[str]) -> str:
        """Of a pair with these digests of its sides, on the day of the call."""
        return self._digest(int(self.at_seconds // DAY), *sorted(sides))

    def of_job(self, job: str) -> str:
        """Of the key of a job."""
        return self._digest(job)[:8]

    def _of_side(self, attribute: str, turns: Sequence[Turn], replies: Replies) -> str:
        said = sorted({(one.text, str(one.ending)) for one in replies})
        return self._digest(*self.system, attribute, _asked(turns), said)

    def _digest(self, *what: object) -> str:
        text = json.dumps(what)
        return blake2b(text.encode(), digest_size=8, key=self.key).hexdigest()


def _asked(turns: Sequence[Turn]) -> list[list[str]]:
    return [[turn.role, turn.content] for turn in turns]


def contrasted_pairs(pairs: Sequence[ComparedPair]) -> dict[int, ComparedPair]:
    """The places of pairs that were compared with a control, with that."""
    controls = controls_of(pairs)
    return {
        at: controls[pair.replies.attribute, pair.replies.source]
        for at, pair in enumerate(pairs)
        if pair.seen.has_contrast
    }


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
    contrasted: Mapping[int, ComparedPair],
    digests: ReplyDigests,
    note: NoteDigests,
) -> Repetition:
    """What of these pairs is no news. deterministic, contrasted: the places of those that are
    noted, and of no others; the latter with their controls. Raises StoreError."""
    sides = {at: digests.of_sides(pairs[at]) for at in deterministic}
    tested = {at: own for at, own in sides.items() if not pairs[at].replies.is_control}
    days = {at: digests.of_the_day(own) for at, own in sides.items()}
    asked = {at: digests.of_conversations(pairs[at], one) for at, one in contrasted.items()}
    noted = {*chain(*tested.values()), *days.values(), *chain(*asked.values())}
    known = frozenset(note(noted))
    return Repetition(
        deterministic=frozenset(sides),
        counted=frozenset(at for at, own in tested.items() if known.intersection(own)),
        compared=frozenset(at for at, day in days.items() if day in known),
        contrasted=frozenset(at for at, own in asked.items() if known.intersection(own)),
    )


def _is_complete(pair: Comparison) -> bool:
    """Whether every reply came: one that was late or failed may come the next time."""
    return all(side and all(one.ending in SAID for one in side) for side in pair.sides)
