"""The lines of a user's file with their labels and scores, and those that no threshold rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from guard.errors import ModelError
from guard.importing.thresholds import ChosenThreshold, choose_threshold
from guard.ports import Scorer
from guard.records import Assessment, Head

NumberedRow = tuple[int, Mapping[str, object]]
"""The number of a line, from 1, and what stands in it: a text, and labels by head."""

LeftOut = dict[str, list[int]]
"""Why lines do not count, and their numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenThresholds:
    """lines: of the file, those that are blank aside. heads: of those that the lines tell of.

    left_out: why some lines count for nothing, or for one head not, and their numbers.
    """

    lines: int
    heads: tuple[ChosenThreshold, ...]
    left_out: Mapping[str, Sequence[int]]


def choose_thresholds(scorer: Scorer, rows: Sequence[NumberedRow], rate: float) -> ChosenThresholds:
    """Of each head of harm that the rows tell something of, over the texts that have a score.

    All texts are submitted at once: the scorer must have room for them. Raises ModelError where
    there are too few for such a rate.
    """
    left_out: LeftOut = {}
    scored = list(_scored(scorer, rows, left_out))
    heads = [head for head in scorer.heads.values() if head.harm]
    labelled = any(head.key in row for head in heads for _, row in rows)
    sides = {
        head.key: _sides(head, scored, left_out, unlabelled=None if labelled else 0)
        for head in heads
    }
    try:
        chosen = [
            choose_threshold(key, harmless, harmful, rate=rate)
            for key, (harmless, harmful) in sides.items()
            if harmless
        ]
    except ModelError as error:
        raise ModelError("; ".join([str(error), *described(left_out, len(rows))])) from error
    return ChosenThresholds(lines=len(rows), heads=tuple(chosen), left_out=left_out)


def described(left_out: Mapping[str, Sequence[int]], lines: int, most: int = 5) -> list[str]:
    """For people: `2 of 40 lines left out: no text (lines 3, 17)`."""
    return [
        f"{len(numbers)} of {lines} lines left out: {reason}"
        f" (line{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers[:most]))}"
        f"{', ...' if len(numbers) > most else ''})"
        for reason, numbers in left_out.items()
    ]


def _scored(
    scorer: Scorer, rows: Sequence[NumberedRow], left_out: LeftOut
) -> Iterable[tuple[int, Mapping[str, object], Assessment]]:
    """The lines that have a score, each with what the scorer said."""
    futures = [
        (number, row, scorer.submit(text) if isinstance(text := row.get("text"), str) else None)
        for number, row in rows
    ]
    for number, row, future in futures:
        assessment = None if future is None else future.result()
        if assessment is not None and _has_score(assessment):
            yield number, row, assessment
        else:
            left_out.setdefault(_reason(assessment), []).append(number)


def _has_score(assessment: Assessment) -> bool:
    return any(score.value is not None for score in assessment.scores.values())


def _reason(assessment: Assessment | None) -> str:
    if assessment is None:
        return "no text"
    return "not scored" if assessment.reason is None else f"not scored, {assessment.reason.value}"


def _sides(
    head: Head,
    scored: Iterable[tuple[int, Mapping[str, object], Assessment]],
    left_out: LeftOut,
    *,
    unlabelled: int | None,
) -> tuple[list[float], list[float]]:
    """Scores of the harmless texts, and of the others. unlabelled: what a line without a label is;
    None leaves it out."""
    sides: tuple[list[float], list[float]] = ([], [])
    for number, row, assessment in scored:
        label, value = row.get(head.key, unlabelled), assessment.value(head.key)
        if label is None or value is None:
            continue
        if label in (0, 1):
            sides[int(bool(label))].append(value)
        else:
            left_out.setdefault(f"{head.key} is neither 0 nor 1", []).append(number)
    return sides
