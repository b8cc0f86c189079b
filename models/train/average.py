"""`python -m train.average OUT RUN RUN ...`: the mean of the weights of several runs.

Runs that went on from each other lie in one valley: their mean errs less than each of them on texts
that are unlike the training data (model soups, Wortsman et al. 2022).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch

from train.model import load, save


def averaged(runs: Sequence[Path]) -> dict[str, torch.Tensor]:
    """Equal shares. Raises ValueError for runs of different shapes, or for none."""
    states = [load(run).state_dict() for run in runs]
    shapes = {tuple((name, w.shape) for name, w in state.items()) for state in states}
    if len(shapes) != 1:
        raise ValueError(f"cannot average {len(runs)} runs of {len(shapes)} shapes: {runs}")
    return {name: torch.stack([s[name] for s in states]).mean(0) for name in states[0]}


def main() -> None:
    parser = argparse.ArgumentParser(prog="train.average", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    options = parser.parse_args()
    model = load(options.runs[0])
    model.load_state_dict(averaged(options.runs))
    save(model, options.out)


if __name__ == "__main__":
    main()
