"""`python -m train.combined_heads OUT WEIGHTS`: a toxicity head that other heads bear out.

Heads are linear in the same features, so that a weighted sum of them is a head again, and costs
nothing. Where the toxicity head alone is not sure, stereotypes and attacks on a group tell harm
without a slur from words that only look rough. Training goes on from the weights before.
"""

import argparse
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import nn

from train.heads import index_of
from train.model import load, save

TOXICITY = "toxicity"
BESIDE: Mapping[str, float] = {"stereotype": 0.15, "toxicity.identity_attack": 0.2}
"""What is added to the logit of toxicity, by head."""


@torch.no_grad()
def combine(heads: nn.Linear, beside: Mapping[str, float] = BESIDE) -> None:
    """Add to the head of toxicity these shares of other heads; they stay as they are."""
    at = index_of(TOXICITY)
    for key, share in beside.items():
        heads.weight[at] += share * heads.weight[index_of(key)]
        heads.bias[at] += share * heads.bias[index_of(key)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="train.combined_heads", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("weights", type=Path)
    options = parser.parse_args()
    model = load(options.weights)
    combine(model.heads)
    save(model, options.out)


if __name__ == "__main__":
    main()
