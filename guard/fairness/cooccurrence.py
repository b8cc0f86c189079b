"""Which words stand near which group: co-occurrence bias and stereotypical associations.

Bouchard (2024), arXiv 2407.10853, section 3.1.2.1. Both are sums over responses, and what one
response adds is found in time linear in its length. It is dearer than the other live tallies:
compute it off the request path.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from guard.fairness.intervals import Sums, jackknife
from guard.fairness.tally import Bounds, Parts, Tally, by_fold, fold_of, key, listed, merged, within
from guard.fairness.words import Response, as_words, word_forms
from guard.records import Reading, Undefined

Groups: TypeAlias = Mapping[str, Collection[str]]

BETA = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A response and the conversation it belongs to."""

    conversation: str
    response: Response


@dataclass(frozen=True, slots=True, kw_only=True)
class _WordMetric:
    """A figure for each word, from the words of groups it stands with; the metric is their mean.

    name: the first part of every key. words: those that are looked at. groups: name to lexicon, of
    single words: a phrase is never met. In texts case does not matter. verbatim: an entry is met
    as it is written and in no other form ("mr." is not "mr"). The interval is a jackknife
    over folds of conversations. Observation: `Said`.
    """

    name: str
    words: Collection[str]
    groups: Groups
    verbatim: bool = False
    _targets: frozenset[str] = field(init=False, repr=False, compare=False)
    _groups_of: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        lexicons = {group: self._forms(self.groups[group], "groups") for group in self.groups}
        entries = frozenset[str]().union(*lexicons.values())
        groups_of = {
            e: tuple(g for g, lexicon in lexicons.items() if e in lexicon) for e in entries
        }
        object.__setattr__(self, "_groups_of", groups_of)
        object.__setattr__(self, "_targets", self._forms(self.words, "words"))

    def _forms(self, entries: Iterable[str], name: str) -> frozenset[str]:
        return frozenset(listed(entries, name)) if self.verbatim else word_forms(entries, name)

    def of(self, responses: Iterable[Response]) -> float | Undefined:
        """The metric of many responses: texts or lists of words."""
        return self.value(self._sums(responses))

    def of_each_word(self, responses: Iterable[Response]) -> dict[str, float]:
        """The figure of each word that has one."""
        return self.by_word(self._sums(responses))

    def tally(self, observation: Said, /) -> Tally:
        """The sums of one response."""
        fold, sums = fold_of(observation.conversation), self.parts(observation.response)
        return {key(self.name, fold, *rest): value for rest, value in sums.items()}

    def estimate(self, tally: Tally, /) -> Reading | Undefined:
        """The mean over words, with its jackknife interval."""
        folds = by_fold(within(tally, self.name))
        responses = math.fsum(sums.get(("n",), 0.0) for sums in folds.values())
        return jackknife(folds, self.value, responses, self.bounds)

    def remaining(self, tally: Tally) -> dict[str, float]:
        """The words the present value rests on, and the figure of each."""
        return self.by_word(merged(by_fold(within(tally, self.name)).values()))

    def _sums(self, responses: Iterable[Response]) -> Sums:
        """The sums of many responses, without folds."""
        return merged(map(self.parts, listed(responses, "responses")))

    @property
    @abstractmethod
    def bounds(self) -> Bounds | None:
        """What the metric can be; None where it has no bounds."""

    @abstractmethod
    def value(self, sums: Sums) -> float | Undefined:
        """The mean over the words that have a figure."""

    @abstractmethod
    def by_word(self, sums: Sums) -> dict[str, float]:
        """The figure of each word that has one."""

    @abstractmethod
    def parts(self, response: Response) -> dict[Parts, float]:
        """What one response adds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CooccurrenceBias(_WordMetric):
    """Co-occurrence bias score: do the words stand nearer to one group's words than to the other's?

    COBS = mean over w of ln(P(w|A') / P(w|A'')), where P(w|A) is the share of w in all that stands
    near A, weighted by beta^distance without a window's end, over the share of A in all words.
    groups: two. Unbounded: 0, as near to both; above 0, nearer to the first. `absolute` gives mean
    |ln|, where opposite words do not cancel. Words that do not stand with both groups are left out
    (`of_each_word` and `remaining` say which remain). Not for texts about one group only.
    [LF 3.1.2.1]. Keys: at most 20 * (2 * words + 5).
    """

    name: str = "cobs"
    stop_words: Collection[str] = ()
    beta: float = BETA
    absolute: bool = False
    _ignored: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.groups) != 2:
            raise ValueError(f"groups: two are compared, not {len(self.groups)}")
        if not 0 < self.beta <= 1:
            raise ValueError(f"beta {self.beta} is not in (0, 1]")
        _WordMetric.__post_init__(self)
        ignored = self._forms(self.stop_words, "stop_words").union(self._groups_of)
        object.__setattr__(self, "_ignored", ignored)

    @property
    def bounds(self) -> Bounds | None:
        return None

    def value(self, sums: Sums) -> float | Undefined:
        logs = self.by_word(sums).values()
        found = map(abs, logs) if self.absolute else logs
        return _mean(found, f"{self.name}: no word stands with both groups")

    def by_word(self, sums: Sums) -> dict[str, float]:
        """ln(P(w|first) / P(w|second)) for each word that stands with both."""
        first, second = self.groups
        scale = 0.0
        for group, sign in ((first, 1.0), (second, -1.0)):
            near, mine = sums.get(("near", group), 0.0), sums.get(("lexicon", group), 0.0)
            if near <= 0 or mine <= 0:
                return {}
            scale -= sign * (math.log(near) + math.log(mine))
        pairs = {
            w: (sums.get(("word", first, w), 0.0), sums.get(("word", second, w), 0.0))
            for w in self._targets
        }
        return {
            w: math.log(a) - math.log(b) + scale for w, (a, b) in sorted(pairs.items()) if a > 0 < b
        }

    def parts(self, response: Response) -> dict[Parts, float]:
        tokens = as_words(response)
        marks = [self._groups_of.get(token, ()) for token in tokens]
        sums: dict[Parts, float] = {("n",): 1.0}
        for group in self.groups:
            mine = [group in mark for mark in marks]
            if any(mine):
                sums["lexicon", group] = float(sum(mine))
                self._near(sums, group, tokens, mine)
        return sums

    def _near(
        self, sums: dict[Parts, float], group: str, tokens: Sequence[str], mine: Sequence[int]
    ) -> None:
        total, targets, ignored = 0.0, self._targets, self._ignored
        for token, weight in zip(tokens, nearness(mine, self.beta), strict=True):
            if token not in ignored:
                total += weight
            if token in targets:
                name = ("word", group, token)
                sums[name] = sums.get(name, 0.0) + weight
        sums["near", group] = total


def nearness(marks: Sequence[int], beta: float) -> list[float]:
    """For each position, the sum over marked other positions of beta^(tokens between)."""
    weights: list[float] = []
    decayed = 0.0
    for mark in marks:
        weights.append(decayed)
        decayed = decayed * beta + mark
    decayed = 0.0
    for place in range(len(marks) - 1, -1, -1):
        weights[place] += decayed
        decayed = decayed * beta + marks[place]
    return weights


@dataclass(frozen=True, slots=True, kw_only=True)
class StereotypicalAssociations(_WordMetric):
    """How unevenly the groups share the responses in which a word occurs.

    gamma(w|A) = sum over responses that contain w of the count of A's words; pi = gamma over its
    sum over groups; SA = mean over w of half the L1 distance of pi(w) to even shares. In
    [0, 1 - 1/groups]: 0, every word is shared evenly; the upper end, each word belongs to one group
    alone. Words seen with no group are left out (`of_each_word` and `remaining` say which remain).
    Noise alone makes it positive, the more so the fewer responses. `multiply` counts w as often as
    it occurs and `per_entry` divides by the lexicon's length, both as LangFair does.
    [LF 3.1.2.1]. Keys: at most 20 * (groups * words + 1).
    """

    name: str = "sa"
    multiply: bool = False
    per_entry: bool = False

    def __post_init__(self) -> None:
        if len(self.groups) < 2:
            raise ValueError(f"groups: at least two are compared, not {len(self.groups)}")
        if self.per_entry and not all(self.groups.values()):
            raise ValueError("groups: per_entry divides by the length of a lexicon that is empty")
        _WordMetric.__post_init__(self)

    @property
    def bounds(self) -> Bounds:
        return 0.0, 1 - 1 / len(self.groups)

    def value(self, sums: Sums) -> float | Undefined:
        return _mean(self.by_word(sums).values(), f"{self.name}: no word was seen with any group")

    def by_word(self, sums: Sums) -> dict[str, float]:
        """The distance of each word's shares to even ones."""
        counts = {w: [self._count(sums, w, group) for group in self.groups] for w in self._targets}
        return {w: _unevenness(found) for w, found in sorted(counts.items()) if sum(found) > 0}

    def parts(self, response: Response) -> dict[Parts, float]:
        tokens = as_words(response)
        sums: dict[Parts, float] = {("n",): 1.0}
        seen = Counter(filter(self._targets.__contains__, tokens))
        members = Counter(group for token in tokens for group in self._groups_of.get(token, ()))
        for word, times in seen.items():
            for group, count in members.items():
                sums["word", group, word] = float(count * times if self.multiply else count)
        return sums

    def _count(self, sums: Sums, word: str, group: str) -> float:
        return sums.get(("word", group, word), 0.0) / (
            len(self.groups[group]) if self.per_entry else 1
        )


def _unevenness(counts: Sequence[float]) -> float:
    """Half the L1 distance of the shares to even ones."""
    total, even = math.fsum(counts), 1 / len(counts)
    return math.fsum(abs(count / total - even) for count in counts) / 2


def _mean(values: Iterable[float], nothing: str) -> float | Undefined:
    found = list(values)
    return math.fsum(found) / len(found) if found else Undefined(nothing)
