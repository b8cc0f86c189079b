"""Several classifiers as one scorer: each makes some of the heads, in one pass over the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, fields
from threading import Lock
from types import MappingProxyType
from typing import Self, TypeAlias

from guard.records import Assessment, Head, Passage, Score, Span
from guard.scoring.engine import Engine, EngineOptions, EngineStats


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
        joined: Future[Assessment] = Future()
        futures = [
            part.engine.submit(text, deadline_seconds=deadline_seconds) for part in self._parts
        ]
        answer = _Answer(joined, futures, self._join)
        for future in futures:
            future.add_done_callback(answer.one_is_done)
        joined.add_done_callback(answer.cancel_if_cancelled)
        return joined

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


class _Answer:
    """Answers one future when the last of several is done."""

    def __init__(
        self,
        joined: Future[Assessment],
        futures: Sequence[Future[Assessment]],
        join: Callable[[Sequence[Assessment]], Assessment],
    ) -> None:
        self._joined = joined
        self._futures = futures
        self._join = join
        self._open = len(futures)
        self._lock = Lock()

    def one_is_done(self, _: Future[Assessment]) -> None:
        with self._lock:
            self._open -= 1
            is_last = not self._open
        if is_last and self._joined.set_running_or_notify_cancel():
            self._joined.set_result(self._join([future.result() for future in self._futures]))

    def cancel_if_cancelled(self, joined: Future[Assessment]) -> None:
        if joined.cancelled():
            for future in self._futures:
                future.cancel()


def joined_assessment(found: Sequence[tuple[EnginePart, Assessment]]) -> Assessment:
    """What several engines say about one text, as one record.

    What one of them has not covered is not covered. Passages of the same sentence become one.
    """
    return Assessment(
        scores=_scores(found),
        passages=_passages(found),
        uncovered=_union(span for _, one in found for span in one.uncovered),
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


def _union(spans: Iterable[Span]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for span in sorted(spans, key=lambda one: one.start):
        if joined and span.start <= joined[-1].end:
            end = max(span.end, joined[-1].end)
            joined[-1] = Span(start=joined[-1].start, end=end)
        else:
            joined.append(span)
    return tuple(joined)
