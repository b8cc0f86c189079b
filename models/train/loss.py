"""Binary cross-entropy over the heads that a row is labelled for."""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from train.heads import HEADS


def head_weights() -> Tensor:
    return torch.tensor([head.loss_weight for head in HEADS])


def masked_loss(logits: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Targets are NaN where unknown; the rows' weights scale what is left."""
    known = ~targets.isnan()
    each = binary_cross_entropy_with_logits(logits, targets.nan_to_num(), reduction="none")
    shares = known * head_weights() * weights.unsqueeze(1)
    return (each * shares).sum() / shares.sum().clamp(min=1e-6)
