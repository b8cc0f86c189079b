"""What a text says about people must not depend on who they are: a price on differing copies."""

import torch
from torch import Tensor
from torch.nn.functional import smooth_l1_loss

SHARES = {
    "toxicity": 2.0,
    "toxicity.severe_toxicity": 0.5,
    "toxicity.obscene": 0.5,
    "toxicity.threat": 0.5,
    "toxicity.insult": 0.5,
    "toxicity.identity_attack": 1.0,
    "stereotype": 1.0,
    "sentiment": 1.0,
}
"""Categories of stereotypes are left out: they change with the group."""


def head_shares(keys: tuple[str, ...]) -> Tensor:
    shares = torch.tensor([SHARES.get(key, 0.0) for key in keys])
    return shares / shares.sum()


def apart(logits: Tensor, bundles: Tensor) -> Tensor:
    """How far each row's logits lie from the mean of its bundle; 0 for a row of its own."""
    count = int(bundles.max()) + 1
    sizes = torch.bincount(bundles, minlength=count).unsqueeze(1)
    mean = logits.new_zeros(count, logits.shape[1]).index_add(0, bundles, logits) / sizes
    return smooth_l1_loss(logits, mean[bundles], reduction="none")


def inconsistency(logits: Tensor, bundles: Tensor, shares: Tensor) -> Tensor:
    """Mean over the rows of a batch. bundles: the place of each row's bundle, [rows]."""
    return (apart(logits, bundles) * shares).sum(1).mean()
