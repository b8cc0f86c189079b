"""`python -m export classifier|sentence|calibration|large`: from weights to files that are shipped.

The first two are made from data, and are in the repository. The larger model is not: `calibration`
puts what the data say beside its weights, and `large` makes the files from there, without data.
"""

import argparse
import logging
from pathlib import Path

import torch

from export.build import build_classifier, calibrate, export_classifier, export_embedder
from export.calibration import read_calibration, write_calibration
from export.manifest import LARGE
from export.texts import gather, sampled, texts_of_our_own
from train.model import base_folder, load, pretrained

NEEDS = {
    "classifier": ("data", "weights", "out"),
    "sentence": ("data", "out"),
    "calibration": ("data", "weights"),
    "large": ("weights", "out"),
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="export", description=__doc__)
    parser.add_argument("what", choices=NEEDS)
    parser.add_argument("--data", type=Path, help="folder of the normalised files")
    parser.add_argument("--out", type=Path, help="folder of the model")
    parser.add_argument("--weights", type=Path, help="folder that `train` wrote")
    parser.add_argument("--base", type=Path, help="folder of another pretrained encoder")
    parser.add_argument("--sample", type=int, help="calibration on so many rows, not on all")
    options = parser.parse_args()
    if lacking := [name for name in NEEDS[options.what] if getattr(options, name) is None]:
        parser.error(f"{options.what} needs {', '.join(f'--{name}' for name in lacking)}")
    return options


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    options = arguments()
    base = options.base or base_folder()
    EXPORTS[options.what](options, base)


def classifier(options: argparse.Namespace, base: Path) -> None:
    model = load(options.weights, base)
    export_classifier(model, base, gather(options.data), options.out)


def sentence(options: argparse.Namespace, base: Path) -> None:
    export_embedder(pretrained(base, 0.0).eval(), base, gather(options.data), options.out)


def calibration(options: argparse.Namespace, base: Path) -> None:
    """Beside the weights."""
    material = sampled(gather(options.data), options.sample)
    found = calibrate(load(options.weights, base), base, material, LARGE)
    write_calibration(found, options.weights)


def large(options: argparse.Namespace, base: Path) -> None:
    """From weights and the calibration beside them."""
    found = read_calibration(options.weights)
    model, texts = load(options.weights, base), texts_of_our_own()
    build_classifier(model, base, found, LARGE, texts=texts, folder=options.out)


EXPORTS = {
    "classifier": classifier,
    "sentence": sentence,
    "calibration": calibration,
    "large": large,
}

if __name__ == "__main__":
    main()
