"""Binary cross-entropy over the heads that a row is labelled for."""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from train.heads import HEADS, KEYS

FAMILIES = {
    family: torch.tensor([key.split(".")[0] == family for key in KEYS])
    for family in ("toxicity", "stereotype", "sentiment")
}
"""Which heads belong together, by the word that their keys begin with."""


def head_weights() -> Tensor:
    return torch.tensor([head.loss_weight for head in HEADS])


def weighed(logits: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
    """The loss of each row and head, and how much it counts; unknown targets do not."""
    known = ~targets.isnan()
    each = binary_cross_entropy_with_logits(logits, targets.nan_to_num(), reduction="none")
    return each, known * head_weights().to(logits) * weights.unsqueeze(1)


def masked_loss(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Targets are NaN where unknown; the rows' weights scale what is left."""
    each, shares = weighed(logits, targets, weights)
    return (each * shares).sum() / shares.sum().clamp(min=1e-6)


def family_losses(logits: Tensor, targets: Tensor, weights: Tensor) -> dict[str, float]:
    """The same family by family, for the log; without the families that no row is labelled for."""
    each, shares = weighed(logits.detach(), targets, weights)
    return {
        family: ((each * shares)[:, heads].sum() / shares[:, heads].sum()).item()
        for family, heads in FAMILIES.items()
        if shares[:, heads].any()
    }
