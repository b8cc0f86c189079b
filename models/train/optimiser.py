"""How fast each part of the model learns, and how that changes over a run."""

import re
from collections import defaultdict
from collections.abc import Callable

from torch.nn import Parameter
from torch.optim import AdamW

from train.model import Classifier
from train.recipe import Recipe

LAYER = re.compile(r"\blayer\.(\d+)\.")


def layer_rate(name: str, layers: int, recipe: Recipe) -> float:
    """Of a parameter of the encoder: each layer below the top one learns slower by a factor.

    What lies outside the layers (positions, their bias in the attention) counts as below all.
    """
    layer = LAYER.search(name)
    below_top = layers - 1 - int(layer[1]) if layer else layers
    return recipe.encoder_rate * recipe.layer_decay**below_top


def optimiser(model: Classifier, recipe: Recipe) -> AdamW:
    """The highest rate of each group is kept in it as `peak`."""
    words = model.encoder.embeddings.word_embeddings.weight
    words.requires_grad = recipe.word_rate > 0
    layers = model.encoder.config.num_hidden_layers
    found: dict[float, list[Parameter]] = defaultdict(list)
    for name, parameter in model.encoder.named_parameters():
        if parameter is words:
            found[recipe.word_rate].append(parameter)
        else:
            found[layer_rate(name, layers, recipe)].append(parameter)
    found[recipe.head_rate] += model.heads.parameters()
    trained = {rate: [p for p in group if p.requires_grad] for rate, group in found.items()}
    groups = [{"params": ps, "lr": rate, "peak": rate} for rate, ps in trained.items() if ps]
    return AdamW(groups, weight_decay=recipe.weight_decay, fused=True)


def falling(total: int, warmup_share: float, cooldown: int = 0) -> Callable[[int], float]:
    """A short rise, then a straight line to zero, which begins at once or `cooldown` steps early.

    With a level in between, a run can be given another end while it is under way.
    """
    warmup = max(1, int(total * warmup_share))
    fall = min(cooldown, total - warmup) or total - warmup
    return lambda step: min(1.0, (step + 1) / warmup, (total - step) / max(1, fall))


def set_rates(optimizer: AdamW, share: float) -> None:
    """A share of the highest rates."""
    for group in optimizer.param_groups:
        group["lr"] = group["peak"] * share
