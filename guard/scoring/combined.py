"""Several classifiers as one scorer: each makes some of the heads, in one pass over the text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Self, TypeAlias

from guard.records import Assessment, Head, Passage, Score, Span
from guard.scoring.engine import Engine, EngineOptions, EngineStats
from guard.scoring.joined import answer_of
from guard.text import merged


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginePart:
    """An engine, and those of its heads that count."""

    engine: Engine
    keys: frozenset[str]


class CombinedEngine:
    """Scores texts with several engines; implements `guard.ports.Scorer`.

    A text is scored by all of them, each with workers of its own; its assessment is complete when
    that of each of them is. A head comes from one engine alone.
    """

    def __init__(self, parts: Sequence[EnginePart]) -> None:
        self._parts = tuple(parts)

    @property
    def heads(self) -> Mapping[str, Head]:
        """Those of all parts, by flat key."""
        return MappingProxyType(
            {
                key: head
                for part in self._parts
                for key, head in part.engine.heads.items()
                if key in part.keys
            }
        )

    @property
    def window_characters(self) -> int:
        """Of the part that reads most at once."""
        return max(part.engine.window_characters for part in self._parts)

    def submit(self, text: str, *, deadline_seconds: float | None = None) -> Future[Assessment]:
        """Begin scoring `text`; see `guard.ports.Scorer.submit`."""
        return answer_of(
            [part.engine.submit(text, deadline_seconds=deadline_seconds) for part in self._parts],
            self._join,
        )

    def beside(self, options: EngineOptions) -> CombinedEngine:
        """Another one with the same classifiers, for work that must not stand in line here."""
        return CombinedEngine(
            [EnginePart(engine=one.engine.beside(options), keys=one.keys) for one in self._parts]
        )

    def stats(self) -> EngineStats:
        """The sums over all parts: a text counts once for each."""
        found = [part.engine.stats() for part in self._parts]
        names = [field.name for field in fields(EngineStats)]
        return EngineStats(**{name: sum(getattr(one, name) for one in found) for name in names})

    def close(self) -> None:
        """Close all parts."""
        for part in self._parts:
            part.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _join(self, found: Sequence[Assessment]) -> Assessment:
        return joined_assessment(list(zip(self._parts, found, strict=True)))


ScoringEngine: TypeAlias = Engine | CombinedEngine


def joined_assessment(found: Sequence[tuple[EnginePart, Assessment]]) -> Assessment:
    """What several engines say about one text, as one record.

    What one of them has not covered is not covered. Passages of the same sentence become one.
    """
    return Assessment(
        scores=_scores(found),
        passages=_passages(found),
        uncovered=merged(span for _, one in found for span in one.uncovered),
        reason=next((one.reason for _, one in found if one.reason is not None), None),
        queued_seconds=max(one.queued_seconds for _, one in found),
        scoring_seconds=max(one.scoring_seconds for _, one in found),
    )


def _scores(found: Iterable[tuple[EnginePart, Assessment]]) -> dict[str, Score]:
    return {
        key: score for part, one in found for key, score in one.scores.items() if key in part.keys
    }


def _passages(found: Iterable[tuple[EnginePart, Assessment]]) -> tuple[Passage, ...]:
    values: dict[Span, dict[str, float]] = {}
    for part, one in found:
        for passage in one.passages:
            kept = {key: value for key, value in passage.values.items() if key in part.keys}
            values.setdefault(passage.span, {}).update(kept)
    spans = sorted(values, key=lambda span: (span.start, span.end))
    return tuple(Passage(span=span, values=values[span]) for span in spans if values[span])
