"""The view of a reply on which a rule fired."""

from __future__ import annotations

from collections.abc import Mapping

from guard.records import Span
from guard.review.body import Json, number, numbers, part, parts, span, spans, text, texts
from guard.review.marking import plain, spans_marked
from guard.review.views import Head, ResponseView, SegmentKind


def response_view(body: Json) -> ResponseView:
    """What to show of the body of a response."""
    reply, released = text(body, "reply"), text(body, "text")
    thresholds = _thresholds(body)
    marks = [
        (SegmentKind.OFFENDING, _offending(body, thresholds, reply)),
        (SegmentKind.WITHHELD, spans(body, "withheld", reply)),
    ]
    return ResponseView(
        prompt=plain(text(body, "prompt")),
        reply=spans_marked(reply, marks),
        released=None if released == reply else plain(released),
        heads=_heads(numbers(body, "scores"), thresholds),
        verdict=text(body, "verdict"),
        action=text(body, "action"),
        observed_only=body.get("observed_only") is True,
        uncovered_characters=sum(one.end - one.start for one in spans(body, "uncovered", reply)),
        versions=texts(body, "versions"),
        texts_kept=bool(reply or released),
    )


def _thresholds(body: Json) -> dict[str, float]:
    """Score to the lowest threshold that fired on it."""
    fired = [(text(one, "score"), number(one, "threshold")) for one in parts(body, "fired")]
    known = [(score, threshold) for score, threshold in fired if threshold is not None]
    return dict(sorted(known, key=lambda one: -one[1]))


def _offending(body: Json, thresholds: Mapping[str, float], reply: str) -> list[Span]:
    return [
        span(one.get("span"), reply)
        for one in parts(body, "passages")
        if _reaches(part(one, "scores"), thresholds)
    ]


def _reaches(scores: Json, thresholds: Mapping[str, float]) -> bool:
    values = ((number(scores, score), threshold) for score, threshold in thresholds.items())
    return any(value is not None and value >= threshold for value, threshold in values)


def _heads(scores: Mapping[str, float | None], thresholds: Mapping[str, float]) -> tuple[Head, ...]:
    heads = [
        Head(name=name, value=value, threshold=thresholds.get(name))
        for name, value in scores.items()
    ]
    return tuple(sorted(heads, key=_rank))


def _rank(head: Head) -> tuple[bool, float, str]:
    return head.threshold is None, -(head.value or 0.0), head.name
