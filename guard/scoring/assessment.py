"""From the values of windows to the assessment of a text, and what stands out in one.

Plain sums, no threads.
"""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter, ge
from typing import Final

from guard.records import Assessment, Head, Passage, Score, Span, Unscored, in_context
from guard.scoring.catalogue import ManifestHead
from guard.scoring.vocabulary import TokenWindow
from guard.text import gaps

_Values = Sequence[float]

_SUSPECT = 0.05
"""The share of a harm head's threshold from which on the sentences of a window are read alone:
among harmless ones, one sentence of hate hardly moves the score of its window."""
_SUSPECT_STEREOTYPE = 0.2
"""The same of heads of stereotypes, whose windows hear a sentence better: of 300 stereotypes hidden
in 50 to 1,000 words, as many are found as with the share of the others, and fewer are read."""
_LONG = 48
"""Tokens of a window from which on that holds. The score of a shorter one hears each sentence."""
_NEAR = 0.7
"""The same of a sentence alone, from which on it is read with what stands around it."""

_SHOWN = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "So", "Co", "Cn"})
"""Unicode's categories of what somebody may see where a tokenizer drops it."""

_end = attrgetter("end")
_place = attrgetter("span.start")
_start = attrgetter("start")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """The outputs of a classifier, in their order.

    suspect_from: the value of each one from which on a window is worth reading sentence by
    sentence. near_from: from which on it is near its threshold.
    """

    heads: tuple[Head, ...]
    suspect_from: tuple[float, ...]
    near_from: tuple[float, ...]

    @classmethod
    def of(cls, heads: Iterable[ManifestHead]) -> Heads:
        """What callers hear of these."""
        told = tuple(Head(key=h.key, threshold=h.threshold, harm=h.harm) for h in heads)
        return cls(
            heads=told,
            suspect_from=tuple(_share_of_threshold(head, _suspect_share(head)) for head in told),
            near_from=tuple(_share_of_threshold(head, _NEAR) for head in told),
        )

    def suspect(self, values: _Values) -> bool:
        """Whether a harm score of a window is not so low that no sentence in it can matter."""
        return any(map(ge, values, self.suspect_from))

    def near(self, values: _Values) -> bool:
        """Whether a harm score came near its threshold."""
        return any(map(ge, values, self.near_from))

    def in_context(self, alone: _Values, context: _Values) -> _Values:
        """Of each score that came near its threshold alone, what it is in context; else alone."""
        each = zip(self.heads, self.near_from, alone, context, strict=True)
        return [
            in_context(head.key, value, inside) if value >= near else value
            for head, near, value, inside in each
        ]

    def confirmed(self, window: _Values, sentences: Sequence[_Values]) -> _Values:
        """The values of a window, of which its sentences were read alone.

        A harm score that came near its threshold counts where that of some sentence did; where none
        did, it is that of the worst sentence.
        """
        worst = [max(column) for column in zip(*sentences, strict=True)]
        triples = zip(self.near_from, window, worst, strict=True)
        return [low if low < near <= value else value for near, value, low in triples]

    def named(self, values: _Values) -> Mapping[str, float]:
        """Values under their keys."""
        keys = (head.key for head in self.heads)
        return dict(zip(keys, values, strict=True))

    def unscored(
        self, reason: Unscored, text: str = "", times: tuple[float, float] = (0.0, 0.0)
    ) -> Assessment:
        """An assessment without any score. text: what would have been scored."""
        nothing = Score(value=None, reason=reason)
        return Assessment(
            scores={head.key: nothing for head in self.heads},
            uncovered=(Span(start=0, end=len(text)),) if text and reason != Unscored.EMPTY else (),
            reason=reason,
            queued_seconds=times[0],
            scoring_seconds=times[1],
        )


def _suspect_share(head: Head) -> float:
    return _SUSPECT_STEREOTYPE if head.key.startswith("stereotype") else _SUSPECT


def _share_of_threshold(head: Head, share: float) -> float:
    threshold = head.threshold if head.harm else None
    return math.inf if threshold is None else share * threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRange:
    """A range of text that went through the model, its weight and its values."""

    span: Span
    tokens: int
    values: _Values


class AssessmentBuilder:
    """What is known about one text so far.

    concerns: there is a window to be read sentence by sentence. doubts: a sentence came near a
    threshold alone, and has to be read in context. missed: a sentence could not be scored.
    reason: why some of the text has no score, None while all has. only_scores: see
    `EngineOptions`.
    """

    def __init__(self, heads: Heads, *, only_scores: bool = False) -> None:
        self.concerns = self.doubts = self.missed = False
        self.only_scores = only_scores
        self.reason: Unscored | None = None
        self.heads = heads
        self._windows: list[ScoredRange] = []
        self._doubted: list[ScoredRange] = []
        self._sentences: list[ScoredRange] = []
        self._contexts: dict[Span, _Values] = {}

    def add_window(self, window: TokenWindow, values: _Values | None) -> None:
        """What the model says about a window; None: nothing usable.

        One that it cannot be trusted about has no score; but where it comes near a threshold, it is
        kept as a passage, by which rules may fire.
        """
        if values is None:
            self.reason = Unscored.ENGINE_ERROR
        elif window.unread is not None:
            if self.heads.near(values):
                self._doubted.append(_score_range(window, values))
        else:
            found = _score_range(window, values)
            self._windows.append(found)
            self.concerns = self.concerns or self._concerning(found)

    def add_sentence(self, window: TokenWindow, values: _Values | None) -> None:
        """What the model says about a sentence alone; None: nothing usable."""
        if values is None:
            self.missed = True
        else:
            self._sentences.append(_score_range(window, values))
            self.doubts = self.doubts or self.heads.near(values)

    def add_context(self, window: TokenWindow, values: _Values | None) -> None:
        """What the model says about the sentence in the range of `window` with what stands around
        it. Where that takes several windows, the highest counts."""
        if values is None:
            self.missed = True
        else:
            known = self._contexts.get(window.span, values)
            self._contexts[window.span] = [max(pair) for pair in zip(known, values, strict=True)]

    def reuse(self, sentence: Span, window: ScoredRange) -> None:
        """Take the values of `window`, which holds nothing else, for its one sentence."""
        self._sentences.append(replace(window, span=sentence))
        self._contexts[sentence] = window.values

    def reuse_window(self, sentence: Span, around: Span) -> bool:
        """Take the values of the only window for a sentence if it holds no more than what stands
        `around` it; whether it was so."""
        only = self._windows[0]
        first, last = _ends(self._sentences)
        if len(self._windows) > 1 or around.start > first or around.end < last:
            return False
        self._contexts[sentence] = only.values
        return True

    @property
    def wants_sentences(self) -> bool:
        """Whether sentences are to be read alone: for passages, or to bear out the scores of
        several windows. Those of one window stand as they are."""
        return self.concerns and (not self.only_scores or len(self._windows) > 1)

    @property
    def wants_context(self) -> bool:
        """Whether doubtful sentences are to be read in context, for passages alone."""
        return self.doubts and not self.only_scores

    @property
    def windows(self) -> int:
        """How many windows are in."""
        return len(self._windows)

    def concerning(self) -> list[ScoredRange]:
        """Windows to be read sentence by sentence, in order of the text."""
        return sorted(filter(self._concerning, self._windows), key=_place)

    def doubtful(self) -> list[Span]:
        """Sentences in which one did, alone, in order of the text."""
        near = (one.span for one in self._sentences if self.heads.near(one.values))
        return sorted(near, key=_start)

    def assessment(
        self, text: str, *, complete: bool, times: tuple[float, float] = (0.0, 0.0)
    ) -> Assessment:
        """All of it as a record.

        complete: every passage that was wanted is there; where one is not, its whole window stands
        in for it, and where its context is not, what it is alone. times: seconds queued and in
        scoring.
        """
        if not self._windows:
            unscored = self.heads.unscored(self.reason or _why_nothing(text), text, times)
            return replace(unscored, passages=self._passages(self._doubted))
        covered = (window.span for window in self._windows)
        passages = [self._in_context(each) for each in self._sentences]
        missing = [] if complete else self._stand_ins(text)
        return Assessment(
            scores=self._scores(confirm=complete),
            passages=self._passages([*passages, *missing, *self._doubted]),
            uncovered=gaps(text, covered) if self.reason else (),
            reason=self.reason,
            queued_seconds=times[0],
            scoring_seconds=times[1],
        )

    def _concerning(self, window: ScoredRange) -> bool:
        """Whether its sentences are to be read. Those of a short window, and of any where only
        scores are wanted, only bear out a score near a threshold."""
        long = window.tokens >= _LONG and not self.only_scores
        return (self.heads.suspect if long else self.heads.near)(window.values)

    def _passages(self, ranges: Iterable[ScoredRange]) -> tuple[Passage, ...]:
        if self.only_scores:
            return ()
        return tuple(
            Passage(span=each.span, values=self.heads.named(each.values))
            for each in sorted(ranges, key=_place)
        )

    def _in_context(self, sentence: ScoredRange) -> ScoredRange:
        context = self._contexts.get(sentence.span, sentence.values)
        return replace(sentence, values=self.heads.in_context(sentence.values, context))

    def _stand_ins(self, text: str) -> list[ScoredRange]:
        missing = gaps(text, (passage.span for passage in self._sentences))
        return [window for window in self.concerning() if _touches(window.span, missing)]

    def _scores(self, *, confirm: bool) -> dict[str, Score]:
        windows, heads = self._windows, self.heads.heads
        if len(windows) == 1:
            only, span = windows[0].values, windows[0].span
            return {head.key: Score(value=only[at], span=span) for at, head in enumerate(heads)}
        if confirm and self._sentences:
            windows = self._confirmed()
        return {
            head.key: _highest(windows, at) if head.harm else _mean(windows, at)
            for at, head in enumerate(heads)
        }

    def _confirmed(self) -> list[ScoredRange]:
        """The windows, each as far as the sentences in it bear it out."""
        sentences = sorted(self._sentences, key=_place)
        starts = [one.span.start for one in sentences]
        ends = [one.span.end for one in sentences]
        found: list[ScoredRange] = []
        for window in self._windows:
            first = bisect_right(ends, window.span.start)
            last = bisect_left(starts, window.span.end)
            read = [one.values for one in sentences[first:last]]
            near = read and self.heads.near(window.values)
            values = self.heads.confirmed(window.values, read) if near else window.values
            found.append(replace(window, values=values))
        return found


def _why_nothing(text: str) -> Unscored:
    """Of a text without tokens: whether it shows anything."""
    shown = any(unicodedata.category(each) in _SHOWN for each in text)
    return Unscored.UNREADABLE if shown else Unscored.EMPTY


def _ends(ranges: Sequence[ScoredRange]) -> tuple[int, int]:
    """Where the first of them begins and the last one ends."""
    return min(one.span.start for one in ranges), max(one.span.end for one in ranges)


def _score_range(window: TokenWindow, values: _Values) -> ScoredRange:
    return ScoredRange(span=window.span, tokens=len(window.ids), values=values)


def _touches(span: Span, others: Sequence[Span]) -> bool:
    """Whether `span` shares a character with one of `others`, which lie apart and in order."""
    at = bisect_right(others, span.start, key=_end)
    return at < len(others) and others[at].start < span.end


def _highest(windows: Sequence[ScoredRange], at: int) -> Score:
    best = max(windows, key=lambda window: window.values[at])
    return Score(value=best.values[at], span=best.span)


def _mean(windows: Sequence[ScoredRange], at: int) -> Score:
    """Weighted by tokens; the range is all that was scored."""
    weight = sum(window.tokens for window in windows)
    total = sum(window.tokens * window.values[at] for window in windows)
    start = min(window.span.start for window in windows)
    end = max(window.span.end for window in windows)
    return Score(value=min(1.0, total / weight), span=Span(start=start, end=end))


DEFAULT_THRESHOLD: Final = 0.5
"""Stands in for the threshold of a head that ships without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """The value that is highest relative to the threshold of its head, and where it stands."""

    head: str
    value: float
    span: Span


def highlight(assessment: Assessment, heads: Mapping[str, Head]) -> Highlight | None:
    """The highest sentence, where sentences were scored; otherwise the highest window."""
    harms = {key: head.threshold or DEFAULT_THRESHOLD for key, head in heads.items() if head.harm}
    sentences = [
        Highlight(head=key, value=value, span=passage.span)
        for passage in assessment.passages
        for key, value in passage.values.items()
        if key in harms
    ]
    windows = [
        Highlight(head=key, value=score.value, span=score.span)
        for key, score in assessment.scores.items()
        if key in harms and score.value is not None and score.span is not None
    ]
    found = sentences or windows
    return max(found, key=lambda one: one.value / harms[one.head], default=None)
