"""From the values of windows to the assessment of a text, and what stands out in one.

Plain sums, no threads.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final

from guard.records import Assessment, Head, Passage, Score, Span, Unscored
from guard.scoring.catalogue import ManifestHead
from guard.scoring.vocabulary import TokenWindow
from guard.text import gaps

_Values = Sequence[float]

_NEAR = 0.5
"""The share of a harm head's threshold at which the sentences of a window are scored as well."""

_end = attrgetter("end")
_place = attrgetter("span.start")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """The outputs of a classifier, in their order."""

    heads: tuple[Head, ...]

    @classmethod
    def of(cls, heads: Iterable[ManifestHead]) -> Heads:
        """What callers hear of these."""
        return cls(heads=tuple(Head(key=h.key, threshold=h.threshold, harm=h.harm) for h in heads))

    def near(self, values: _Values) -> bool:
        """Whether a harm score came near its threshold."""
        pairs = zip(self.heads, values, strict=True)
        return any(
            head.harm and head.threshold is not None and value >= _NEAR * head.threshold
            for head, value in pairs
        )

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


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRange:
    """A range of text that went through the model, its weight and its values."""

    span: Span
    tokens: int
    values: _Values


class AssessmentBuilder:
    """What is known about one text so far.

    concerns: a window came near a threshold. missed: a sentence could not be scored.
    reason: why some of the text has no score, None while all has.
    """

    def __init__(self, heads: Heads) -> None:
        self.concerns = self.missed = False
        self.reason: Unscored | None = None
        self.heads = heads
        self._windows: list[ScoredRange] = []
        self._passages: list[ScoredRange] = []

    def add_window(self, window: TokenWindow, values: _Values | None) -> None:
        """What the model says about a window; None: nothing usable."""
        if values is None:
            self.reason = Unscored.ENGINE_ERROR
        else:
            self._windows.append(_score_range(window, values))
            self.concerns = self.concerns or self.heads.near(values)

    def add_passage(self, window: TokenWindow, values: _Values | None) -> None:
        """What the model says about a sentence; None: nothing usable."""
        if values is None:
            self.missed = True
        else:
            self._passages.append(_score_range(window, values))

    def reuse(self, sentence: Span, window: ScoredRange) -> None:
        """Take the values of `window`, which holds nothing else, for its one sentence."""
        self._passages.append(replace(window, span=sentence))

    @property
    def windows(self) -> int:
        """How many windows are in."""
        return len(self._windows)

    def near(self) -> list[ScoredRange]:
        """Windows in which a harm score came near its threshold, in order of the text."""
        return sorted((w for w in self._windows if self.heads.near(w.values)), key=_place)

    def assessment(
        self, text: str, *, complete: bool, times: tuple[float, float] = (0.0, 0.0)
    ) -> Assessment:
        """All of it as a record.

        complete: every passage that was wanted is there; where one is not, its whole window stands
        in for it. times: seconds queued and in scoring.
        """
        if not self._windows:
            return self.heads.unscored(self.reason or Unscored.EMPTY, text, times)
        passages = self._passages if complete else [*self._passages, *self._stand_ins(text)]
        covered = (window.span for window in self._windows)
        return Assessment(
            scores=self._scores(),
            passages=tuple(
                Passage(span=each.span, values=self.heads.named(each.values))
                for each in sorted(passages, key=_place)
            ),
            uncovered=gaps(text, covered) if self.reason else (),
            reason=self.reason,
            queued_seconds=times[0],
            scoring_seconds=times[1],
        )

    def _stand_ins(self, text: str) -> list[ScoredRange]:
        missing = gaps(text, (passage.span for passage in self._passages))
        return [window for window in self.near() if _touches(window.span, missing)]

    def _scores(self) -> dict[str, Score]:
        windows, heads = self._windows, self.heads.heads
        if len(windows) == 1:
            only, span = windows[0].values, windows[0].span
            return {head.key: Score(value=only[at], span=span) for at, head in enumerate(heads)}
        return {
            head.key: _highest(windows, at) if head.harm else _mean(windows, at)
            for at, head in enumerate(heads)
        }


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
