"""Where in a text it is worst, and which scores are too high. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from guard.records import Assessment, Head, Span

MIDDLE: Final = 0.5
"""Stands in for the threshold of a head that ships without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worst:
    """The value that is highest for its head's threshold, and the text it comes from."""

    head: str
    value: float
    span: Span


def worst(assessment: Assessment, heads: Mapping[str, Head]) -> Worst | None:
    """The worst sentence, where sentences were looked at; otherwise the worst window."""
    found = list(_sentences(assessment, heads)) or list(_windows(assessment, heads))
    return max(found, key=lambda one: one[0])[1] if found else None


def over(assessment: Assessment, heads: Mapping[str, Head]) -> list[str]:
    """Heads at or above their shipped threshold."""
    return [
        key
        for key, head in heads.items()
        if head.harm and head.threshold is not None and _value(assessment, key) >= head.threshold
    ]


def _value(assessment: Assessment, key: str) -> float:
    value = assessment.value(key)
    return -1.0 if value is None else value


def _sentences(assessment: Assessment, heads: Mapping[str, Head]) -> Iterator[tuple[float, Worst]]:
    for passage in assessment.passages:
        for key, value in passage.values.items():
            if key in heads and heads[key].harm:
                yield _excess(value, heads[key]), Worst(head=key, value=value, span=passage.span)


def _windows(assessment: Assessment, heads: Mapping[str, Head]) -> Iterator[tuple[float, Worst]]:
    for key, score in assessment.scores.items():
        harmful = key in heads and heads[key].harm
        if harmful and score.value is not None and score.span is not None:
            found = Worst(head=key, value=score.value, span=score.span)
            yield _excess(score.value, heads[key]), found


def _excess(value: float, head: Head) -> float:
    return value / (head.threshold or MIDDLE)
