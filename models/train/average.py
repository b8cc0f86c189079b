"""`python -m train.average OUT RUN RUN ... [--base DIR]`: the mean of the weights of several runs.

Of adapters it is the mean of their own weights, which for adapters that went on from each other is
nearly that of their products.

Runs that went on from each other lie in one valley: their mean errs less than each of them on texts
that are unlike the training data (model soups, Wortsman et al. 2022). Within a run a moving average
does the same.
"""

import argparse
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import torch

from train.model import (
    ADAPTATION,
    Classifier,
    load,
    load_adapted,
    load_trained,
    save,
    trained_state,
)


class MovingAverage:
    """Of the weights of a run, younger ones counting more; decay 0 is the model itself."""

    def __init__(self, model: Classifier, decay: float) -> None:
        self.model = deepcopy(model) if decay else model
        self._decay = decay
        self._steps = 0

    @torch.no_grad()
    def follow(self, model: Classifier) -> None:
        """Move towards the weights as they are now, faster in the beginning."""
        if not self._decay:
            return
        self._steps += 1
        share = 1 - min(self._decay, self._steps / (self._steps + 10))
        for mean, now in zip(self.model.parameters(), model.parameters(), strict=True):
            if now.requires_grad:
                mean.lerp_(now, share)

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self._steps, "weights": trained_state(self.model) if self._decay else {}}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._steps = state["steps"]
        if self._decay:
            load_trained(self.model, state["weights"])


def read(run: Path, base: Path | None) -> tuple[Classifier, dict[str, torch.Tensor]]:
    """A run and what it trained. base: of the encoder that adapters stand on."""
    if (run / ADAPTATION).exists() and base is not None:
        model = load_adapted(run, base)
        return model, trained_state(model)
    model = load(run)
    return model, model.state_dict()


def averaged(states: Sequence[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Equal shares. Raises ValueError for states of different shapes, or for none."""
    shapes = {tuple((name, w.shape) for name, w in state.items()) for state in states}
    if len(shapes) != 1:
        raise ValueError(f"cannot average {len(states)} runs of {len(shapes)} shapes")
    return {name: torch.stack([s[name] for s in states]).mean(0) for name in states[0]}


def main() -> None:
    parser = argparse.ArgumentParser(prog="train.average", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--base", type=Path, help="folder of the encoder that adapters stand on")
    options = parser.parse_args()
    models, states = zip(*(read(run, options.base) for run in options.runs), strict=True)
    models[0].load_state_dict(averaged(states), strict=not models[0].adaptation)
    options.out.mkdir(parents=True, exist_ok=True)
    save(models[0], options.out)


if __name__ == "__main__":
    main()
