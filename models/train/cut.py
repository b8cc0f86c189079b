"""`python -m train.cut TEACHER OUT --base BASE --keep 0,1,2,3,4,5`: a teacher with fewer layers.

What is left is of no use until it is trained on, with `--recipe distilling-cut` and the labels
of the whole teacher.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from train.model import Classifier, keep_layers, load_adapted, save


def cut(model: Classifier, kept: Sequence[int]) -> None:
    """Keep some layers, by number from below, and the adapters on them.

    Raises ValueError for a model without adapters, or where none of them would be left.
    """
    if model.adaptation is None:
        raise ValueError("only adapters are cut: whole weights would be kept as a whole again")
    count = len(model.encoder.encoder.layer)
    earlier = model.adaptation.kept or tuple(range(count))
    adapted = sum(number >= count - model.adaptation.layers for number in kept)
    if not adapted:
        first = count - model.adaptation.layers
        raise ValueError(f"of the layers {list(kept)} none has adapters: keep one from {first} on")
    keep_layers(model, kept)
    model.adaptation = replace(
        model.adaptation, layers=adapted, kept=tuple(earlier[number] for number in kept)
    )


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(","))


def main() -> None:
    parser = argparse.ArgumentParser(prog="train.cut", description=__doc__)
    parser.add_argument("teacher", type=Path, help="folder with its adapters")
    parser.add_argument("out", type=Path, help="folder for the adapters that are left")
    parser.add_argument("--base", type=Path, required=True, help="folder of its encoder")
    parser.add_argument("--keep", type=numbers, required=True, help="layers, by number from 0")
    options = parser.parse_args()
    model = load_adapted(options.teacher, options.base)
    cut(model, options.keep)
    options.out.mkdir(parents=True, exist_ok=True)
    save(model, options.out)


if __name__ == "__main__":
    main()
