"""`python -m export classifier|sentence`: from weights to the files that are shipped."""

import argparse
import logging
from pathlib import Path

import torch

from export.build import export_classifier, export_embedder
from export.texts import gather
from train.model import base_folder, load, pretrained


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="export", description=__doc__)
    parser.add_argument("what", choices=("classifier", "sentence"))
    parser.add_argument("--data", type=Path, required=True, help="folder of the normalised files")
    parser.add_argument("--out", type=Path, required=True, help="folder of the model")
    parser.add_argument("--weights", type=Path, help="folder that `train` wrote (classifier)")
    parser.add_argument("--base", type=Path, help="folder of another pretrained BERT encoder")
    options = parser.parse_args()
    if options.what == "classifier" and options.weights is None:
        parser.error("a classifier needs --weights")
    return options


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    options = arguments()
    base = options.base or base_folder()
    material = gather(options.data)
    if options.what == "classifier":
        export_classifier(load(options.weights), base, material, options.out)
    else:
        export_embedder(pretrained(base, 0.0).eval(), base, material, options.out)


if __name__ == "__main__":
    main()
