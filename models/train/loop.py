"""The training loop."""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.optim import AdamW
from torch.optim.lr_scheduler import LambdaLR

from train.batches import Batch, Example, collate, planned
from train.consistency import head_shares, inconsistency
from train.heads import KEYS
from train.loss import masked_loss
from train.model import Classifier, save, seeded
from train.recipe import Recipe
from train.windows import together

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step did."""

    number: int
    of: int
    rows: int
    loss: float


def optimiser(model: Classifier, recipe: Recipe) -> AdamW:
    words = model.encoder.embeddings.word_embeddings.weight
    words.requires_grad = recipe.word_rate > 0
    encoder = [p for p in model.encoder.parameters() if p.requires_grad and p is not words]
    groups = [
        {"params": [words] if words.requires_grad else [], "lr": recipe.word_rate},
        {"params": encoder, "lr": recipe.encoder_rate},
        {"params": list(model.heads.parameters()), "lr": recipe.head_rate},
    ]
    return AdamW(groups, weight_decay=recipe.weight_decay)


def falling(total: int, warmup_share: float) -> Callable[[int], float]:
    """A short rise, then a straight line to zero."""
    warmup = max(1, int(total * warmup_share))
    return lambda step: min((step + 1) / warmup, (total - step) / max(1, total - warmup))


def loss_of(model: Classifier, batch: Batch, recipe: Recipe) -> Tensor:
    """Of whole texts. A batch that long texts cut short counts as much less as it has fewer."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        found: Tensor = model(batch.input_ids, batch.attention_mask)
    logits = together(found.float(), batch.texts, batch.attention_mask.sum(1).float())
    loss = masked_loss(logits, batch.targets, batch.weights)
    if recipe.consistency:
        differing = inconsistency(logits, batch.bundles, head_shares(KEYS))
        loss = loss + recipe.consistency * differing
    return loss * min(1.0, len(batch.weights) / recipe.batch_rows)


def descend(model: Classifier, batch: Batch, recipe: Recipe) -> float:
    loss = loss_of(model, batch, recipe)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip_norm)
    return loss.item()


def steps(model: Classifier, examples: Sequence[Example], recipe: Recipe) -> Iterator[Step]:
    """Train; one record per step."""
    generator = seeded(recipe.seed)
    plan = [b for _ in range(recipe.epochs) for b in planned(examples, recipe, generator)]
    optimizer = optimiser(model, recipe)
    schedule = LambdaLR(optimizer, falling(len(plan), recipe.warmup_share))
    model.train()
    for number, places in enumerate(plan, start=1):
        optimizer.zero_grad(set_to_none=True)
        loss = descend(model, collate([examples[n] for n in places]), recipe)
        optimizer.step()
        schedule.step()
        yield Step(number=number, of=len(plan), rows=len(places), loss=loss)


class Average:
    """A moving average of the weights, younger ones counting more; decay 0 is the model itself."""

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
            mean.lerp_(now, share)


def train(model: Classifier, examples: Sequence[Example], recipe: Recipe, out: Path) -> None:
    """Train, log and leave a usable checkpoint every few hundred steps."""
    began, rows, recent = time.monotonic(), 0, 0.0
    average = Average(model, recipe.average_decay)
    for step in steps(model, examples, recipe):
        rows += step.rows
        average.follow(model)
        recent = step.loss if step.number == 1 else 0.98 * recent + 0.02 * step.loss
        if step.number % recipe.log_steps == 0:
            pace = rows / (time.monotonic() - began)
            log.info("step %d/%d loss %.4f rows/s %.1f", step.number, step.of, recent, pace)
        if step.number % recipe.checkpoint_steps == 0:
            save(average.model, out)
    save(average.model, out)
    log.info("trained on %d rows in %.0f seconds", rows, time.monotonic() - began)
