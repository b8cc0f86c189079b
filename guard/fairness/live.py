"""What a live metric is: an entry of `live_metrics.LIVE_METRICS`, where each is defined once.

An entry says what one pair shows, how windows add it up, whether a sequential test adds it up too,
and when one pair alone is put before people. Readings, evidence, flags, case bodies, settings and
`/metrics` iterate over the entries, so that adding a metric means adding an entry. A metric sees a
`Comparison`: texts, masked texts, scores, normalised scores, vectors, claims and endings of both
sides.

For a signed difference of something of each reply there is `difference`, for a similarity with its
same-prompt control `similarity`. Conditions of the tests: an observation of one pair lies in
[-1, 1], turns its sign when the sides are swapped, and depends on this call alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import combinations, product
from math import fsum
from typing import Any, Literal, TypeAlias

from guard.fairness.counterfactual import Likeness, Similarity, gap
from guard.fairness.generation import Mean
from guard.fairness.tally import SIGNED, UNIT, Bounds, Measured, Metric, pair_of
from guard.fairness.words import words
from guard.records import Ending, Undefined
from guard.text.claims import CheckedClaim

Scores: TypeAlias = Mapping[str, float | None]
AnyMetric: TypeAlias = Metric[Any]

NORMALISED = "_grounded"
"""Ends the name of a figure for which both sides were brought to the same group first."""
MATERIAL = 0.03
"""From which size on a difference matters, where a metric does not say."""
LONG_REPLY_WORDS = 12
"""From so many words on, chance gives no reply twice: where it comes again, replies do not vary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredReply:
    """One reply. live: the one the caller got; it counts in readings and in no test.

    masked: the text with every word of the attribute masked. scores: by head, in [0, 1], of the
    text as it is; normalised: of the text brought to the same group as the other side. vector: the
    embedding of the masked text. claims: what it says, checked against other replies, itself
    among them, by their masked texts. All of them are empty where the reply is no answer.
    """

    text: str
    ending: Ending
    live: bool = False
    masked: str = ""
    scores: Scores = field(default_factory=dict)
    normalised: Scores = field(default_factory=dict)
    vector: tuple[float, ...] = ()
    claims: Mapping[str, tuple[CheckedClaim, ...]] = field(default_factory=dict)

    @property
    def answered(self) -> bool:
        """Whether there is a text to compare."""
        return self.ending is Ending.ANSWERED


Replies: TypeAlias = tuple[MeasuredReply, ...]


def repeats_itself(sides: Iterable[Sequence[MeasuredReply]]) -> bool:
    """Whether every side has several replies, all of them word for word the same."""
    return all(len(side) > 1 and len(set(map(_said, side))) == 1 for side in sides)


def _said(reply: MeasuredReply) -> tuple[str, str]:
    return reply.text, str(reply.ending)


def _has_long(replies: Iterable[MeasuredReply]) -> bool:
    return any(len(words(one.text)) >= LONG_REPLY_WORDS for one in replies)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The replies to a conversation and to the same one about another group.

    first, second: the groups in alphabetical order, the same one twice for a control. source: the
    group that the conversation itself is about. even: as many answers on either side are used.
    control: the same conversation compared with that about other people of its own group.
    """

    call_id: str
    attribute: str
    first: str
    second: str
    source: str
    first_replies: Replies
    second_replies: Replies
    even: bool = False
    control: Comparison | None = None

    @property
    def groups(self) -> str:
        """Both groups as they stand in names."""
        return pair_of(self.first, self.second)

    @property
    def is_control(self) -> bool:
        """Other people of the same group."""
        return self.first == self.second

    @property
    def sides(self) -> tuple[Replies, Replies]:
        """The replies about the first group and about the second."""
        return self.first_replies, self.second_replies

    @property
    def by_prompt(self) -> tuple[Replies, Replies]:
        """The replies to the conversation itself and to the rewritten one."""
        return self.sides if self.source == self.first else self.sides[::-1]

    @property
    def answers(self) -> Comparison:
        """The same without refusals, time-outs and failures."""
        answered = self._only(lambda one: one.answered)
        if not self.even:
            return answered
        most = min(map(len, answered.sides))
        if most == max(map(len, answered.sides)):
            return answered
        first, second = (
            tuple(side[at] for at in drawn_places(len(side), most, self.call_id))
            for side in answered.sides
        )
        return replace(answered, first_replies=first, second_replies=second)

    @property
    def fresh(self) -> Comparison:
        """The same without the live reply: both sides were made by the same path."""
        return self._only(lambda one: not one.live)

    @property
    def evenly_fresh(self) -> Comparison:
        """What tests see: fresh replies, and of answers as many on either side.

        The mean of two replies minus one reply is not symmetric about 0 when scores are skewed,
        even where nothing differs.
        """
        fresh = self.fresh
        is_even = len({len(side) for side in fresh.answers.sides}) == 1
        return fresh if is_even else replace(fresh, even=True)

    @property
    def is_deterministic(self) -> bool:
        """Whether fresh replies show that they do not vary: either side repeats itself, and not
        with short replies alone, which come twice by chance."""
        sides = self.fresh.sides
        return repeats_itself(sides) and any(map(_has_long, sides))

    @property
    def has_draws(self) -> bool:
        """Whether draws of one side can be compared with each other: not where nothing varies.

        Who said which must not matter here: then replies of the pairs that are left can still be
        exchanged, and figures that rely on it hold. So it is asked whether the same replies, dealt
        out another way, would be deterministic.
        """
        first, second = self.fresh.sides
        said = sorted((*first, *second), key=_said)
        deals = ((said[:at], said[at:]) for at in (len(first), len(second)))
        return not (any(map(repeats_itself, deals)) and _has_long(said))

    @property
    def fresh_answers(self) -> Comparison:
        """All fresh answers, also where one side has more of them."""
        return replace(self, even=False).fresh.answers

    def _only(self, kept: Callable[[MeasuredReply], bool]) -> Comparison:
        if all(map(kept, self.first_replies)) and all(map(kept, self.second_replies)):
            return self
        first, second = (tuple(filter(kept, side)) for side in self.sides)
        return replace(self, first_replies=first, second_replies=second)


def drawn_places(among: int, most: int, seed: str) -> list[int]:
    """So many places, the same each time: the first may be of another kind than the others."""

    def rank(at: int) -> bytes:
        return blake2b(f"{at} {seed}".encode("utf-8", "surrogatepass"), digest_size=8).digest()

    return sorted(sorted(range(among), key=rank)[:most])


def magnitude(value: float | None) -> float | None:
    """The size of a signed number."""
    return None if value is None else abs(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseFlag:
    """When one pair is put before people.

    key: the name of the setting and of the reason. threshold: from which size on, unless settings
    say otherwise. size: of an observation, at least 0. switch: settings can only turn it off.
    """

    key: str
    threshold: float
    help: str
    size: Callable[[Any], float | None] = magnitude
    switch: bool = False


def signed_mean(measured: Measured) -> AnyMetric:
    """The mean of signed differences in [-1, 1]."""
    return Mean(name=measured.name, bounds=SIGNED)


def unchanged(value: float | None) -> float | None:
    """A signed number, as it is."""
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveMetric:
    """A metric of counterfactual pairs.

    observe: what one pair shows. metric: the tally of it, from its name; None: no reading is made.
    join: the observations of all pairs of a call with the same groups as one observation of the
    metric. tested: what a sequential test adds, from the observation of fresh replies: a number in
    [-1, 1] that turns its sign when the sides are swapped; None: there is no test. material: from
    which size on a tested difference matters, in the unit of what is tested; an alarm needs
    evidence and an estimate of at least this size, unless settings say otherwise. title: what is
    compared, in plain words for people; empty: the name. tolerance: which of the tolerances its
    test has. directed: what is tested turns its sign with the view; otherwise it is the same from
    either side, and above 0 where groups differ. of_means: it is a difference of means,
    which more replies on one side do not shift. repeats: only where several replies of each side
    are drawn, and of pairs in which draws vary. vectors: only where replies are embedded. claims:
    only where claims are checked. controls: pairs of a group with itself are measured too.
    against_control: what is tested is how much more the rewrite about another group does than one
    about other people of the same group; only where that is asked about.
    per_group: an observation is two values, one for each side, and every group has a reading of its
    own. of_scores: measured of replies of which there are scores and no text as well.
    """

    name: str
    observe: Callable[[Comparison], Any]
    metric: Callable[[Measured], AnyMetric] | None = signed_mean
    join: Callable[[Sequence[Any]], Any] = list
    tested: Callable[[Any], float | None] | None = None
    material: float = MATERIAL
    title: str = ""
    directed: bool = True
    tolerance: Literal["gaps", "refusals", "contrasts"] = "gaps"
    flag: CaseFlag | None = None
    repeats: bool = False
    vectors: bool = False
    claims: bool = False
    controls: bool = True
    against_control: bool = False
    per_group: bool = False
    of_scores: bool = False
    of_means: bool = False

    @property
    def is_signed(self) -> bool:
        """Whether an observation is a signed difference that a case shows."""
        return self.metric is signed_mean


def itself(one: MeasuredReply) -> MeasuredReply:
    """The reply, of which nothing is made first."""
    return one


def difference(
    name: str,
    of: Callable[[MeasuredReply], float | None],
    *,
    bounds: Bounds = UNIT,
    tested: bool = True,
    material: float = MATERIAL,
    title: str = "",
    flag: CaseFlag | None = None,
    of_scores: bool = False,
) -> LiveMetric:
    """The mean of `of` over the first side's answers minus the second's, over the width of bounds.

    of: what of a reply is compared, a number within `bounds`; None where it has none.
    """

    def observe(pair: Comparison) -> float | None:
        values = ([of(one) for one in side] for side in pair.answers.sides)
        apart = gap(*values, bounds=bounds)
        return None if isinstance(apart, Undefined) else apart / (bounds[1] - bounds[0])

    return LiveMetric(
        name=name,
        observe=observe,
        tested=unchanged if tested else None,
        material=material,
        title=title,
        flag=flag,
        of_scores=of_scores,
        of_means=True,
    )


def similarity(
    name: str,
    measure: Callable[[Any, Any], float | None],
    *,
    of: Callable[[MeasuredReply], Any] = itself,
    bounds: Bounds = UNIT,
    flag: CaseFlag | None = None,
    vectors: bool = False,
    claims: bool = False,
) -> LiveMetric:
    """How alike two replies are, within `bounds`, with the same-prompt control beside it.

    of: what `measure` takes of a reply; made once for each, and not for each two.
    """

    def observe(pair: Comparison) -> Likeness:
        own, other = ([of(one) for one in side] for side in pair.answers.by_prompt)
        return Likeness(
            between=[measure(one, two) for one, two in product(own, other)],
            control=[measure(one, two) for one, two in combinations(own, 2)],
        )

    return LiveMetric(
        name=name,
        observe=observe,
        metric=lambda measured: Similarity(name=measured.name, bounds=bounds),
        join=_joined_likeness,
        flag=flag,
        vectors=vectors,
        claims=claims,
    )


def deficit(likeness: Likeness) -> float | None:
    """How much less alike the groups' replies are than replies to one prompt.

    None without two replies to one prompt: then a low similarity may be what sampling does.
    """
    between, control = _mean(likeness.between), _mean(likeness.control)
    return None if between is None or control is None else control - between


def _joined_likeness(found: Sequence[Likeness]) -> Likeness:
    """Each pair enters as the mean of its comparisons."""
    return Likeness(
        between=[_mean(one.between) for one in found], control=[_mean(one.control) for one in found]
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fsum(known) / len(known) if known else None
