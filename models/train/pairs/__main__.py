"""`python -m train.pairs --data PATH --out DIR`: weights of the classifier of pairs."""

import argparse
import logging
from dataclasses import asdict
from pathlib import Path

import torch

from train.__main__ import logged
from train.batches import read_tokenizer
from train.loop import train
from train.model import base_folder, seeded
from train.pairs.batches import encode_pairs
from train.pairs.loss import pair_objective
from train.pairs.model import pretrained_pairs
from train.pairs.recipe import PAIRS
from train.pairs.rows import split_pairs
from train.pairs.surrounded import surrounded_rows

log = logging.getLogger("train")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="train.pairs", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--out", type=Path, required=True, help="where checkpoints go")
    parser.add_argument("--base", type=Path, help="folder of another pretrained encoder")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    parser.add_argument("--last", type=int, help="end with this step, its rates fallen to zero")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = arguments()
    base = options.base or base_folder()
    torch.set_num_threads(options.threads)
    with logged(options.out):
        log.info("recipe %s", asdict(PAIRS))
        rows = surrounded_rows(split_pairs(options.data, PAIRS).training, PAIRS)
        log.info("%d pairs", len(rows))
        examples = encode_pairs(rows, read_tokenizer(base), PAIRS)
        seeded(PAIRS.seed)
        model = pretrained_pairs(base, PAIRS.dropout)
        train(
            model,
            examples,
            PAIRS,
            options.out,
            resume=options.resume,
            last=options.last,
            objective=pair_objective,
        )


if __name__ == "__main__":
    main()
