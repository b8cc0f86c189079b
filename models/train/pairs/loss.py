"""Cross-entropy where a label may leave several classes possible."""

from torch import Tensor

from train.batches import Batch
from train.model import Classifier
from train.pairs.model import PairModel, pair_logits
from train.recipe import Recipe

NEVER = -1e9


def marginal_loss(logits: Tensor, possible: Tensor) -> Tensor:
    """-log of the probability of all classes that are possible together, [rows].

    possible: 1 for a class that may be right, 0 for one that is not, [rows, classes].
    """
    allowed = logits.masked_fill(possible == 0, NEVER)
    return logits.logsumexp(1) - allowed.logsumexp(1)


def right_share(logits: Tensor, possible: Tensor) -> float:
    """How often the likeliest class is a possible one."""
    return possible.gather(1, logits.argmax(1, keepdim=True)).mean().item()


def pair_objective(
    model: Classifier, batch: Batch, recipe: Recipe
) -> tuple[Tensor, dict[str, float]]:
    """A batch that long pairs cut short counts as much less as it has fewer."""
    if not isinstance(model, PairModel):
        raise TypeError(f"pairs need a PairModel, not a {type(model).__name__}")
    logits = pair_logits(model, batch.input_ids, batch.attention_mask)
    loss = marginal_loss(logits, batch.targets).mean()
    share = min(1.0, len(batch.weights) / recipe.batch_rows)
    return loss * share, {"right": right_share(logits.detach(), batch.targets)}
