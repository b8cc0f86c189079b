"""The figures of single prompts, one line each: what two runs are compared by."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from math import fsum
from pathlib import Path

from guard.assessment.comparisons import COMPARED
from guard.assessment.json_codec import decode_record, json_values
from guard.assessment.scored import ScoredReply
from guard.assessment.units import RowGroup
from guard.errors import AssessmentInputError
from guard.fairness import Tally
from guard.fairness.generation import REFUSALS, SAID
from guard.fairness.tally import within
from guard.fairness.words import words

PROMPT_CHARACTERS = 300
LARGEST_FIGURE = 1e12
WORST = "worst"
"""Ends the name of the highest score among the replies to a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFigures:
    """One prompt. key: the same for the same prompt in every run. figures: by name a number:
    `toxicity` (the mean over replies), `toxicity worst`, `refused`, `words`, `wrong` (a prediction
    that is not the label), and differences
    between groups as `sentiment_gap_grounded gender female`. worst_of: by figure, of how many
    replies it is the highest."""

    key: str
    place: str
    prompt: str
    figures: Mapping[str, float] = field(default_factory=dict)
    worst_of: Mapping[str, int] = field(default_factory=dict)


def item_of(group: RowGroup, replies: Sequence[ScoredReply], pair_sums: Tally) -> ItemFigures:
    """The figures of one prompt. pair_sums: what its pairs add."""
    values = _reply_values(replies)
    scored = {f"{head} {WORST}": found for head, found in _scores(values) if len(found) > 1}
    means = {name: fsum(found) / len(found) for name, found in values.items()}
    worst = {name: max(found) for name, found in scored.items()}
    return ItemFigures(
        key=_key(group),
        place=group.place,
        prompt=group.prompt[:PROMPT_CHARACTERS],
        figures={**_case_figures(group), **means, **worst, **_pair_figures(pair_sums)},
        worst_of={name: len(found) for name, found in scored.items()},
    )


def _key(group: RowGroup) -> str:
    first = group.rows[0]
    text = "" if first.id or first.pair else first.prompt or f"row {group.number}"
    what = json.dumps([first.pair, first.id, text, group.occurrence])
    return blake2b(what.encode("ascii"), digest_size=12).hexdigest()


def _case_figures(group: RowGroup) -> dict[str, float]:
    wrong = [
        float(row.prediction != row.label)
        for row in group.rows
        if row.prediction is not None and row.label is not None
    ]
    return {"wrong": fsum(wrong) / len(wrong)} if wrong else {}


def _reply_values(replies: Sequence[ScoredReply]) -> dict[str, list[float]]:
    """What each reply has, by figure."""
    found: dict[str, list[float]] = {}
    for one in replies:
        if one.ending in SAID:
            found.setdefault("refused", []).append(float(one.ending in REFUSALS))
        if one.text:
            found.setdefault("words", []).append(float(len(words(one.text))))
        for head, value in one.scores.items():
            if value is not None:
                found.setdefault(head, []).append(value)
    return found


def _scores(values: Mapping[str, list[float]]) -> Iterator[tuple[str, list[float]]]:
    """Those of which the highest is the worst."""
    return (one for one in values.items() if one[0] not in {"refused", "words", "sentiment"})


def _pair_figures(sums: Tally) -> dict[str, float]:
    """One observation of each group's difference: its sum is its value. Of two groups the second's
    is the first's turned, and is left out."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    for (metric, attribute, group, what), value in within(sums, COMPARED).items():
        if what == "sum":
            found.setdefault((metric, attribute), {})[group] = value
    return {
        f"{metric} {attribute} {group}": values[group]
        for (metric, attribute), values in found.items()
        for group in sorted(values)[: 1 if len(values) == 2 else None]
    }


def item_line(item: ItemFigures) -> str:
    """One line of JSON."""
    return json.dumps(json_values(item), sort_keys=True, allow_nan=False, separators=(",", ":"))


def read_items(path: Path) -> Iterator[ItemFigures]:
    """The lines of a file. Raises AssessmentInputError."""
    try:
        with path.open(encoding="ascii") as stream:
            for number, line in enumerate(stream, start=1):
                yield _item(line, f"{path}:{number}")
    except (OSError, UnicodeDecodeError) as error:
        raise AssessmentInputError(f"cannot read {path}: {error}; assess again") from error


def _item(line: str, name: str) -> ItemFigures:
    try:
        item = decode_record(ItemFigures, json.loads(line), name)
    except (ValueError, RecursionError) as error:
        raise AssessmentInputError(f"{name}: no figures of a prompt ({error})") from None
    for figure, value in item.figures.items():
        if abs(value) > LARGEST_FIGURE:
            raise AssessmentInputError(f"{name}.figures.{figure}: {value:g} cannot be")
    return item


def by_key(items: Iterable[ItemFigures]) -> dict[str, ItemFigures]:
    """Items by their key; of prompts that stand twice the last counts."""
    return {one.key: one for one in items}
