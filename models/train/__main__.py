"""`python -m train --data PATH --out DIR`: from the normalised files to trained weights."""

import argparse
import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from train.batches import encode, read_tokenizer
from train.identity import mentions
from train.loop import train
from train.model import base_folder, load, pretrained, seeded
from train.recipe import RECIPES
from train.rows import Row
from train.sampling import split_rows
from train.weighting import overall_share, term_shares, weigh

log = logging.getLogger("train")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="train", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--out", type=Path, required=True, help="where checkpoints go")
    parser.add_argument("--base", type=Path, help="folder of another pretrained BERT encoder")
    parser.add_argument("--recipe", choices=sorted(RECIPES), default="first")
    parser.add_argument("--weights", type=Path, help="go on from the weights in this folder")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def report_mix(rows: Sequence[Row]) -> None:
    """The balance that the run starts from, so that a log explains its weights."""
    shares = term_shares(rows, mentions(row.text for row in rows))
    worst = sorted(shares.items(), key=lambda item: -item[1].share)[:8]
    log.info("toxic share %.3f, rows %d", overall_share(rows), len(rows))
    log.info("most toxic terms: %s", ", ".join(f"{t} {s.share:.3f}" for t, s in worst))


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    options = arguments()
    recipe = RECIPES[options.recipe]
    log.info("recipe %s", asdict(recipe))
    torch.set_num_threads(options.threads)
    base = options.base or base_folder()
    rows = split_rows(options.data, recipe).training
    report_mix(rows)
    weighted = weigh(rows, recipe)
    report_mix(weighted)
    examples = encode(weighted, read_tokenizer(base), recipe)
    seeded(recipe.seed)
    model = load(options.weights) if options.weights else pretrained(base, recipe.dropout)
    train(model, examples, recipe, options.out)


if __name__ == "__main__":
    main()
