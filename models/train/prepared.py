"""`python -m train.prepared --recipe NAME --data DATA --out FILE`: what a run reads, without texts.

The rows of a recipe as token ids in one file, from which `python -m train --examples FILE` trains:
on a machine with a GPU that has none of the data, and without the minutes that choosing, weighing
and cutting take. Rows that only a teacher labels are among them.
"""

import argparse
import logging
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from train.batches import Example, Ids, encode, read_tokenizer
from train.files import replacing
from train.heads import KEYS
from train.model import base_folder
from train.recipe import RECIPES
from train.sampling import split_rows
from train.soft_labels import Logits
from train.weighting import weigh

log = logging.getLogger("train.prepared")


def write_examples(examples: Sequence[Example], path: Path) -> None:
    """Soft labels are not kept. Raises OverflowError for token ids above 65,535.

    `ids`: of all windows one after the other, `lengths`: of each window, `windows`: of each
    example; `targets`: [examples, heads], NaN where unknown; `bundles`: a number for each.
    """
    pieces = [piece for example in examples for piece in example.windows]
    numbers = {name: n for n, name in enumerate(dict.fromkeys(e.bundle for e in examples))}
    targets = [[np.nan if t is None else t for t in e.targets] for e in examples]
    with replacing(path) as partial, partial.open("wb") as file:
        np.savez_compressed(
            file,
            heads=np.array(KEYS),
            ids=np.array([token for piece in pieces for token in piece], np.uint16),
            lengths=np.array([len(piece) for piece in pieces], np.uint16),
            windows=np.array([len(example.windows) for example in examples], np.uint16),
            targets=np.array(targets, np.float32),
            weights=np.array([example.weight for example in examples], np.float32),
            bundles=np.array([numbers[example.bundle] for example in examples], np.uint32),
            keys=np.array([example.key for example in examples], np.uint64),
        )


def cut_at(values: Sequence[int], lengths: Sequence[int]) -> Iterator[Ids]:
    """Neighbouring pieces of these lengths."""
    ends = np.cumsum([0, *lengths]).tolist()
    return (tuple(values[start:end]) for start, end in pairwise(ends))


def targets_of(lines: Logits) -> Iterator[tuple[float | None, ...]]:
    """Unknown ones as rows have them."""
    for line in lines.tolist():
        yield tuple(None if value != value else value for value in line)


def read_examples(path: Path) -> list[Example]:
    """In the order in which they were written. Raises ValueError for other heads."""
    with np.load(path) as arrays:
        if tuple(arrays["heads"].tolist()) != KEYS:
            raise ValueError(f"the rows in {path} have other heads: {arrays['heads'].tolist()}")
        pieces = cut_at(arrays["ids"].tolist(), arrays["lengths"].tolist())
        columns = (arrays[name].tolist() for name in ("windows", "weights", "bundles", "keys"))
        return [
            Example(
                windows=tuple(next(pieces) for _ in range(count)),
                targets=targets,
                weight=weight,
                bundle=str(bundle),
                key=key,
            )
            for targets, count, weight, bundle, key in zip(
                targets_of(arrays["targets"]), *columns, strict=True
            )
        ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="train.prepared", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--recipe", choices=sorted(RECIPES), required=True)
    parser.add_argument("--base", type=Path, help="folder of another pretrained encoder")
    parser.add_argument("--out", type=Path, required=True, help="file of the examples")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    recipe = RECIPES[options.recipe]
    rows = weigh(split_rows(options.data, recipe).training, recipe)
    examples = encode(rows, read_tokenizer(options.base or base_folder()), recipe)
    write_examples(examples, options.out)
    log.info("%d rows, %d windows", len(examples), sum(len(e.windows) for e in examples))


if __name__ == "__main__":
    main()
