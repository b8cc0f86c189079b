"""`python -m train --data PATH --out DIR`: from the normalised files to trained weights."""

import argparse
import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import torch

from train import prepared
from train.batches import Example, encode, read_tokenizer
from train.identity import mentions
from train.keys import fraction_of
from train.loop import train
from train.model import Classifier, adapted, base_folder, load, load_adapted, pretrained, seeded
from train.recipe import RECIPES, Recipe
from train.rows import Row
from train.sampling import split_rows
from train.soft_labels import SoftLabels, mean_labels, read_soft_labels
from train.weighting import overall_share, term_shares, weigh
from train.written import LICENCE

log = logging.getLogger("train")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="train", description=__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--data", type=Path, help="folder of the normalised files")
    source.add_argument("--examples", type=Path, help="file of the rows (train.prepared)")
    parser.add_argument("--out", type=Path, required=True, help="where checkpoints go")
    parser.add_argument("--base", type=Path, help="folder of another pretrained encoder")
    parser.add_argument("--recipe", choices=sorted(RECIPES), default="first")
    parser.add_argument("--weights", type=Path, help="go on from the weights in this folder")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument(
        "--soft", type=Path, nargs="+", help="files of teachers' labels (export.labelling)"
    )
    parser.add_argument("--last", type=int, help="end with this step, its rates fallen to zero")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def report_mix(rows: Sequence[Row]) -> None:
    """The balance that the run starts from, so that a log explains its weights."""
    shares = term_shares(rows, mentions(row.text for row in rows))
    worst = sorted(shares.items(), key=lambda item: -item[1].share)[:8]
    log.info("toxic share %.3f, rows %d", overall_share(rows), len(rows))
    log.info("most toxic terms: %s", ", ".join(f"{t} {s.share:.3f}" for t, s in worst))


@contextmanager
def logged(out: Path) -> Iterator[None]:
    """To the screen, and to a file beside the weights that a resumed run goes on with."""
    out.mkdir(parents=True, exist_ok=True)
    layout = "%(asctime)s %(message)s"
    logging.basicConfig(level=logging.INFO, format=layout)
    file = logging.FileHandler(out / "train.log")
    file.setFormatter(logging.Formatter(layout))
    logging.getLogger().addHandler(file)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(file)
        file.close()


def is_known(example: Example) -> bool:
    """Whether people or a teacher have said anything of it."""
    return bool(example.soft) or any(target is not None for target in example.targets)


def read_examples(
    data: Path, base: Path, recipe: Recipe, soft: SoftLabels | None = None
) -> list[Example]:
    """soft: of a teacher. Rows of which nothing is known at all are left out.

    Of those that it has not read, as many are used as the recipe says.
    """
    rows = split_rows(data, recipe).training
    report_mix(rows)
    weighted = weigh(rows, recipe)
    report_mix(weighted)
    examples = encode(weighted, read_tokenizer(base), recipe)
    if soft is None:
        return [each for each in examples if is_known(each)]
    return list(taught(zip(weighted, examples, strict=True), soft, recipe.unread_share))


def taught(
    pairs: Iterable[tuple[Row, Example]], soft: SoftLabels, unread_share: float
) -> Iterator[Example]:
    """The examples with what a teacher says of their rows; of what it has not read, a share.

    Rows of our own are all used: they are there because a model gets them wrong.
    """
    for row, example in pairs:
        read = soft.logits(row.key)
        share = 1.0 if row.licence == LICENCE else unread_share
        known = any(target is not None for target in row.targets)
        if read or (known and fraction_of(row.bundle or row.key, "unread") < share):
            yield replace(example, soft=read)


def read_prepared(path: Path, soft: SoftLabels | None = None) -> list[Example]:
    """All rows of a file of which something is known, from people or from a teacher.

    The recipe's `unread_share` is of rows whose source is known, so that it does not apply here.
    """
    examples = prepared.read_examples(path)
    if soft:
        examples = [replace(each, soft=soft.of(each.key)) for each in examples]
    return [each for each in examples if is_known(each)]


def teacher_labels(paths: Sequence[Path] | None, recipe: Recipe) -> SoftLabels | None:
    """Of a text that several teachers have read, the mean of what they say.

    Raises ValueError where a recipe needs a teacher and has none, or the other way round.
    """
    if bool(paths) != bool(recipe.soft_share):
        raise ValueError("--soft is for recipes with a share for a teacher, and they need it")
    return mean_labels([read_soft_labels(path) for path in paths]) if paths else None


def begin(weights: Path | None, base: Path, recipe: Recipe) -> Classifier:
    """What a run starts from: earlier weights, or the pretrained encoder, bare or with adapters."""
    if weights and recipe.adapter_rank:
        return load_adapted(weights, base)
    if weights:
        return load(weights, base)
    if recipe.adapter_rank:
        return adapted(base, recipe.dropout, recipe.adapter_rank, recipe.adapter_layers)
    return pretrained(base, recipe.dropout)


def main() -> None:
    options = arguments()
    recipe, base = RECIPES[options.recipe], options.base or base_folder()
    torch.set_num_threads(options.threads)
    with logged(options.out):
        log.info("recipe %s", asdict(recipe))
        soft = teacher_labels(options.soft, recipe)
        if options.examples:
            examples = read_prepared(options.examples, soft)
        else:
            examples = read_examples(options.data, base, recipe, soft)
        seeded(recipe.seed)
        model = begin(options.weights, base, recipe)
        train(model, examples, recipe, options.out, resume=options.resume, last=options.last)


if __name__ == "__main__":
    main()
