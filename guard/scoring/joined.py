"""Several assessments that become one: of one text by several engines, or of its readings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from threading import Lock

from guard.records import Assessment, Head, Passage, Score, Span, Unscored
from guard.text import TextReading, merged

_NOT_READ = frozenset({Unscored.EMPTY, Unscored.LANGUAGE, Unscored.UNREADABLE})

_Join = Callable[[Sequence[Assessment]], Assessment]


def answer_of(futures: Sequence[Future[Assessment]], join: _Join) -> Future[Assessment]:
    """What `join` makes of the results of all, once the last is there; cancelling it cancels them.

    join: called on the thread of the last one; must not raise.
    """
    joined: Future[Assessment] = Future()
    answer = _Answer(joined, futures, join)
    for future in futures:
        future.add_done_callback(answer.one_is_done)
    joined.add_done_callback(answer.cancel_if_cancelled)
    return joined


class _Answer:
    """Answers one future when the last of several is done."""

    def __init__(
        self,
        joined: Future[Assessment],
        futures: Sequence[Future[Assessment]],
        join: _Join,
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


def worst_of_readings(
    heads: Mapping[str, Head], readings: Sequence[TextReading], found: Sequence[Assessment]
) -> Assessment:
    """What readings of one text say about it: of each harm the highest score, of what is no harm
    that of the first.

    A reading that shows nothing does not count beside others. Of an excerpt that cannot be read
    whole, in another language say, the passages count and nothing else. What one has not covered is
    not covered. Ranges are those of what is written.
    """
    placed = [_placed(one, at.place) for at, one in zip(readings, found, strict=True)]
    told = [
        one
        for at, one in zip(readings, placed, strict=True)
        if one.reason not in (_NOT_READ if at.excerpt else (Unscored.EMPTY,))
    ] or placed
    return Assessment(
        scores={
            key: _worst(head, [one.scores[key] for one in told]) for key, head in heads.items()
        },
        passages=_worst_passages(passage for one in placed for passage in one.passages),
        uncovered=merged(span for one in told for span in one.uncovered),
        reason=next((one.reason for one in told if one.reason is not None), None),
        queued_seconds=max(one.queued_seconds for one in found),
        scoring_seconds=max(one.scoring_seconds for one in found),
    )


def _placed(found: Assessment, place: Callable[[Span], Span]) -> Assessment:
    scores = {
        key: replace(one, span=one.span and place(one.span)) for key, one in found.scores.items()
    }
    passages = tuple(replace(one, span=place(one.span)) for one in found.passages)
    uncovered = tuple(map(place, found.uncovered))
    return replace(found, scores=scores, passages=passages, uncovered=uncovered)


def _worst(head: Head, scores: Sequence[Score]) -> Score:
    known = [(one.value, one) for one in scores if one.value is not None]
    if not known:
        return next((one for one in scores if one.reason is not None), scores[0])
    return max(known, key=lambda pair: pair[0])[1] if head.harm else known[0][1]


def _worst_passages(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    values: dict[Span, dict[str, float]] = {}
    for one in passages:
        kept = values.setdefault(one.span, {})
        kept.update({key: max(value, kept.get(key, value)) for key, value in one.values.items()})
    spans = sorted(values, key=lambda span: (span.start, span.end))
    return tuple(Passage(span=span, values=values[span]) for span in spans)
