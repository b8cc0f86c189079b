"""What a text says about people must not depend on who they are: a price on differing copies."""

from collections.abc import Mapping

import torch
from torch import Tensor
from torch.nn.functional import smooth_l1_loss

from train.heads import KEYS


def head_shares(invariant: Mapping[str, float]) -> Tensor:
    """The share of each head in the price, from those that are named; together 1."""
    shares = torch.tensor([invariant.get(key, 0.0) for key in KEYS])
    return shares / shares.sum()


def apart(logits: Tensor, bundles: Tensor) -> Tensor:
    """How far each row's logits lie from the mean of its bundle; 0 for a row of its own."""
    count = int(bundles.max()) + 1
    sizes = torch.bincount(bundles, minlength=count).unsqueeze(1)
    mean = logits.new_zeros(count, logits.shape[1]).index_add(0, bundles, logits) / sizes
    return smooth_l1_loss(logits, mean[bundles], reduction="none")


def inconsistency(logits: Tensor, bundles: Tensor, shares: Tensor) -> Tensor:
    """Mean over the rows of a batch. bundles: the place of each row's bundle, [rows]."""
    return (apart(logits, bundles) * shares.to(logits)).sum(1).mean()
