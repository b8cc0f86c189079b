"""Texts and what the classifier says of them, each scored once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from guard.ports import Scorer
from guard.records import Assessment

Scores = Mapping[str, float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Assessments by text. heads: the scores that there are."""

    heads: tuple[str, ...]
    by_text: Mapping[str, Assessment]

    def of(self, versions: Sequence[str]) -> Scores:
        """The mean score over versions of one text; None where one of them has none."""
        return {head: self._mean(versions, head) for head in self.heads}

    def _mean(self, versions: Sequence[str], head: str) -> float | None:
        values = [self.by_text[text].value(head) for text in versions]
        known = [value for value in values if value is not None]
        return sum(known) / len(known) if known and len(known) == len(values) else None


def scored(texts: Iterable[str], scorer: Scorer) -> Scored:
    """All texts at once. Waits for the classifier, which always answers."""
    futures = {text: scorer.submit(text) for text in dict.fromkeys(texts)}
    return Scored(
        heads=tuple(scorer.heads),
        by_text={text: future.result() for text, future in futures.items()},
    )
