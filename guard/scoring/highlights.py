"""Which sentence of a text scores highest, and which scores reach their threshold. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from guard.records import Assessment, Head, Span

DEFAULT_THRESHOLD: Final = 0.5
"""Stands in for the threshold of a head that ships without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """The value that is highest relative to the threshold of its head, and where it stands."""

    head: str
    value: float
    span: Span


_Ranked = tuple[float, Highlight]
"""How far above its threshold a highlight is, and the highlight."""


def highlight(assessment: Assessment, heads: Mapping[str, Head]) -> Highlight | None:
    """The highest sentence, where sentences were scored; otherwise the highest window."""
    found = list(_sentences(assessment, heads)) or list(_windows(assessment, heads))
    return max(found, key=lambda one: one[0])[1] if found else None


def heads_over_threshold(assessment: Assessment, heads: Mapping[str, Head]) -> list[str]:
    """Heads at or above their shipped threshold."""
    return [
        key
        for key, head in heads.items()
        if head.harm and head.threshold is not None and _value(assessment, key) >= head.threshold
    ]


def _value(assessment: Assessment, key: str) -> float:
    value = assessment.value(key)
    return -1.0 if value is None else value


def _sentences(assessment: Assessment, heads: Mapping[str, Head]) -> Iterator[_Ranked]:
    for passage in assessment.passages:
        for key, value in passage.values.items():
            if key in heads and heads[key].harm:
                yield (
                    _excess(value, heads[key]),
                    Highlight(head=key, value=value, span=passage.span),
                )


def _windows(assessment: Assessment, heads: Mapping[str, Head]) -> Iterator[_Ranked]:
    for key, score in assessment.scores.items():
        harmful = key in heads and heads[key].harm
        if harmful and score.value is not None and score.span is not None:
            found = Highlight(head=key, value=score.value, span=score.span)
            yield _excess(score.value, heads[key]), found


def _excess(value: float, head: Head) -> float:
    return value / (head.threshold or DEFAULT_THRESHOLD)
