"""What a student learns from: the labels of people, and what its teacher says of the same texts.

Hinton et al. 2015, with one sigmoid per head in the place of a softmax over classes.
"""

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from train.loss import head_weights, weighed


def softened(logits: Tensor, soft: Tensor, temperature: float) -> Tensor:
    """Cross-entropy with the teacher's probabilities, [rows, heads]; 0 where it said nothing.

    soft: its logits, NaN where there are none. Both sides are divided by the temperature, so that
    what is unlikely counts as well; its square keeps the gradients as large as at temperature 1.
    """
    likely = (soft.nan_to_num() / temperature).sigmoid()
    each = binary_cross_entropy_with_logits(logits / temperature, likely, reduction="none")
    return each * ~soft.isnan() * temperature**2


def teacher_loss(logits: Tensor, soft: Tensor, temperature: float) -> Tensor:
    """How far the student is from its teacher: the mean over rows and heads, less what must be."""
    least = softened(soft.nan_to_num(), soft, temperature)
    above = softened(logits, soft, temperature) - least
    return above.sum() / (~soft.isnan()).sum().clamp(min=1)


def mixed_loss(
    logits: Tensor, targets: Tensor, soft: Tensor, weights: Tensor, mixture: tuple[float, float]
) -> Tensor:
    """The mean over all that is known, weighed by head and row.

    mixture: the share of the teacher where it has read a row, and the temperature. A head that
    people have not labelled is learnt from the teacher alone, a row it has not read from them.
    """
    share, temperature = mixture
    read = ~soft.isnan()
    each, hard = weighed(logits, targets, weights)
    hard = hard * torch.where(read, 1 - share, 1.0)
    taught = share * read * head_weights().to(logits) * weights.unsqueeze(1)
    total = each * hard + softened(logits, soft, temperature) * taught
    return total.sum() / (hard + taught).sum().clamp(min=1e-6)
