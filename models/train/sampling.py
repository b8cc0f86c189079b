"""Which rows are trained on, which are held back for validation, and which must not be touched."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from train.heads import KEYS
from train.joined import joined_rows
from train.keys import fraction_of, hashed, read_held_out, text_key
from train.recipe import Recipe
from train.replayed import replayed_rows
from train.rows import TASKS, Row, merge_twins, read_jsonl, read_task
from train.written import LICENCE, counterfactuals, hard_rows, ordinary_rows, written_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Rows to train on, and rows of the same sources held back."""

    training: list[Row]
    validation: list[Row]


def forbidden_keys(data: Path) -> frozenset[str]:
    """Sealed evaluation texts and the public development sets."""
    records = chain.from_iterable(map(read_jsonl, sorted((data / "dev").glob("*.jsonl.gz"))))
    development = (hashed(text_key(record["text"])) for record in records if "text" in record)
    return read_held_out(data) | frozenset(development)


def without(rows: Iterable[Row], forbidden: frozenset[str]) -> Iterator[Row]:
    return (row for row in rows if hashed(row.key) not in forbidden)


def licensed(rows: Iterable[Row], refused: frozenset[str]) -> Iterator[Row]:
    return (row for row in rows if row.licence not in refused)


def rate_of(source: str, rates: dict[str, float]) -> float:
    """The rate of the longest prefix that names the source; all of it where none does."""
    known = [prefix for prefix in rates if source.startswith(prefix)]
    return rates[max(known, key=len)] if known else 1.0


def chosen(row: Row, recipe: Recipe) -> bool:
    """By a hash of the text, so that a text in two files is taken from both or from neither.

    Rows that were written as copies of each other are taken together.
    """
    return fraction_of(row.bundle or row.key, f"sample {recipe.seed}") < rate_of(
        row.source, recipe.rates
    )


def reserved(row: Row, recipe: Recipe) -> bool:
    return fraction_of(row.key, f"validation {recipe.split_seed}") < recipe.validation_share


def unlabelled(row: Row, families: Sequence[str]) -> Row:
    """The row without its targets for some families of heads."""
    kept = zip(KEYS, row.targets, strict=True)
    targets = (None if key.split(".")[0] in families else target for key, target in kept)
    return replace(row, targets=tuple(targets))


def copied(rows: Iterable[Row], recipe: Recipe) -> Iterator[Row]:
    """Counterfactual copies that are labelled; the rows of our own bring theirs along."""
    if recipe.copies:
        public = (row for row in rows if row.licence != LICENCE)
        copies = counterfactuals(public, recipe.seed, recipe.copies)
        known = (unlabelled(copy.row, recipe.unknown_in_copies) for copy in copies)
        yield from (row for row in known if any(t is not None for t in row.targets))


def repeated(rows: Iterable[Row], recipe: Recipe) -> Iterator[Row]:
    """Each time in another bundle, so that a row does not meet itself."""
    for row in rows:
        yield row
        for turn in range(1, recipe.repeats.get(row.source, 1)):
            yield replace(row, bundle=f"{row.bundle or row.key} again {turn}")


def split_rows(data: Path, recipe: Recipe) -> Split:
    """Read, filter and divide all training files."""
    forbidden = forbidden_keys(data)
    everything = chain(
        chain.from_iterable(read_task(data, task) for task in TASKS),
        written_rows(recipe.seed, forbidden) if recipe.written_rows else (),
        hard_rows(recipe.seed, forbidden) if recipe.hard_rows else (),
        ordinary_rows(recipe.seed, forbidden) if recipe.ordinary_rows else (),
        replayed_rows(data) if recipe.replayed_rows else (),
    )
    usable = licensed((row for row in everything if row.key), recipe.refused_licences)
    rows = list(without(usable, forbidden))
    training = merge_twins(r for r in rows if not reserved(r, recipe) and chosen(r, recipe))
    validation = merge_twins(row for row in rows if reserved(row, recipe))
    copies = without(copied(training, recipe), forbidden | {hashed(r.key) for r in validation})
    taken = merge_twins([*training, *copies])
    return Split(
        training=[*repeated(taken, recipe), *joined_rows(training, recipe)], validation=validation
    )
