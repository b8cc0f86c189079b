"""Pairs of a premise and a hypothesis, and what is known of how they stand to each other."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from train.keys import fraction_of, hashed, read_held_out
from train.pairs.recipe import PairRecipe
from train.rows import Targets, read_jsonl
from train.sampling import rate_of

LABELS = ("entailment", "neutral", "contradiction")
POSSIBLE: dict[str, Targets] = {
    "entailment": (1.0, 0.0, 0.0),
    "neutral": (0.0, 1.0, 0.0),
    "contradiction": (0.0, 0.0, 1.0),
    "not_entailment": (0.0, 1.0, 1.0),
}
"""Which of `LABELS` a label of the data leaves possible."""

OTHER_THAN_LETTERS = re.compile("[^a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRow:
    """possible: 1 for each of `LABELS` that may be the right one; several where only that much
    is known."""

    premise: str
    hypothesis: str
    source: str
    licence: str
    possible: Targets

    @property
    def key(self) -> str:
        """The same for pairs that differ only in case, space and punctuation."""
        return f"{letters(self.premise)}|{letters(self.hypothesis)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSplit:
    """Rows to train on, and rows of other premises held back."""

    training: list[PairRow]
    validation: list[PairRow]


def letters(text: str) -> str:
    return OTHER_THAN_LETTERS.sub("", text.lower())


def pair_row(record: dict[str, Any]) -> PairRow:
    return PairRow(
        premise=record["premise"].strip(),
        hypothesis=record["hypothesis"].strip(),
        source=record["src"],
        licence=record.get("lic", ""),
        possible=POSSIBLE[record["label"]],
    )


def read_pairs(path: Path) -> Iterator[PairRow]:
    return map(pair_row, read_jsonl(path))


def development_premises(data: Path) -> frozenset[str]:
    """Premises of the development sets: no other hypothesis of theirs is trained on either."""
    rows = chain.from_iterable(map(read_pairs, sorted((data / "dev").glob("nli_*.jsonl.gz"))))
    return frozenset(letters(row.premise) for row in rows)


def distinct(rows: Iterable[PairRow]) -> Iterator[PairRow]:
    """The first row of each pair."""
    known: set[str] = set()
    for row in rows:
        if row.key not in known:
            known.add(row.key)
            yield row


def usable(data: Path, recipe: PairRecipe) -> Iterator[PairRow]:
    """Rows of the training file that nothing forbids."""
    held_out, development = read_held_out(data), development_premises(data)
    for row in distinct(read_pairs(data / "train" / "nli.jsonl.gz")):
        if row.licence in recipe.refused_licences or not letters(row.hypothesis):
            continue
        if hashed(row.key) not in held_out and letters(row.premise) not in development:
            yield row


def reserved(row: PairRow, recipe: PairRecipe) -> bool:
    """By its premise, which several rows share."""
    fraction = fraction_of(letters(row.premise), f"validation {recipe.split_seed}")
    return fraction < recipe.validation_share


def chosen(row: PairRow, recipe: PairRecipe) -> bool:
    return fraction_of(row.key, f"sample {recipe.seed}") < rate_of(row.source, recipe.rates)


def split_pairs(data: Path, recipe: PairRecipe) -> PairSplit:
    """Read, filter, sample and divide."""
    rows = [row for row in usable(data, recipe) if chosen(row, recipe)]
    return PairSplit(
        training=[row for row in rows if not reserved(row, recipe)],
        validation=[row for row in rows if reserved(row, recipe)],
    )
