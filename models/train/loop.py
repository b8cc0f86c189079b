"""The training loop."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import torch
from torch import Tensor

from train.adapters import hold_in_bfloat16
from train.average import MovingAverage
from train.batches import Batch, Example, collate, planned
from train.checkpoint import Plan, Training, fingerprint, read_checkpoint, write_checkpoint
from train.consistency import head_shares, inconsistency
from train.distillation import mixed_loss, teacher_loss
from train.loss import family_losses
from train.model import Classifier, save, seeded
from train.optimiser import falling, optimiser, set_rates
from train.precision import device, has_bfloat16, reduced
from train.progress import Progress, Step
from train.recipe import Recipe
from train.windows import together

CHECKPOINT = "checkpoint.pt"

Objective = Callable[[Classifier, Batch, Recipe], tuple[Tensor, Mapping[str, float]]]
"""What a step makes smaller, and its parts for the log."""


def logits_of(model: Classifier, batch: Batch) -> Tensor:
    """Of whole texts."""
    with reduced(batch.input_ids.device):
        found: Tensor = model(batch.input_ids, batch.attention_mask)
    return together(found.float(), batch.texts, batch.attention_mask.sum(1).float())


def loss_of(logits: Tensor, batch: Batch, recipe: Recipe) -> Tensor:
    """A batch that long texts cut short counts as much less as it has fewer."""
    mixture = recipe.soft_share, recipe.temperature
    loss = mixed_loss(logits, batch.targets, batch.soft, batch.weights, mixture)
    if recipe.consistency:
        differing = inconsistency(logits, batch.bundles, head_shares(recipe.invariant))
        loss = loss + recipe.consistency * differing
    return loss * min(1.0, len(batch.weights) / recipe.batch_rows)


def parts_of(logits: Tensor, batch: Batch, recipe: Recipe) -> dict[str, float]:
    """What the loss is made of, for the log."""
    parts = family_losses(logits, batch.targets, batch.weights)
    if recipe.consistency:
        shares = head_shares(recipe.invariant)
        parts["copies"] = inconsistency(logits.detach(), batch.bundles, shares).item()
    if recipe.soft_share:
        parts["teacher"] = teacher_loss(logits.detach(), batch.soft, recipe.temperature).item()
    return parts


def by_heads(model: Classifier, batch: Batch, recipe: Recipe) -> tuple[Tensor, dict[str, float]]:
    """The objective of the classifier of texts."""
    logits = logits_of(model, batch)
    return loss_of(logits, batch, recipe), parts_of(logits, batch, recipe)


def plan_of(examples: Sequence[Example], recipe: Recipe) -> Plan:
    """All batches of a run in their order. Seeds everything random in the run."""
    generator = seeded(recipe.seed)
    return [b for _ in range(recipe.epochs) for b in planned(examples, recipe, generator)]


def begun(model: Classifier, recipe: Recipe) -> Training:
    """The optimiser comes first: it says which parameters are trained."""
    optimizer = optimiser(model, recipe)
    average = MovingAverage(model, recipe.average_decay)
    return Training(model=model, average=average, optimizer=optimizer)


def descend(
    training: Training, batch: Batch, recipe: Recipe, objective: Objective
) -> tuple[float, Mapping[str, float]]:
    model, optimizer = training.model, training.optimizer
    optimizer.zero_grad(set_to_none=True)
    loss, parts = objective(model, batch, recipe)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip_norm)
    optimizer.step()
    training.average.follow(model)
    return loss.item(), parts


def run(
    training: Training,
    plan: Plan,
    examples: Sequence[Example],
    recipe: Recipe,
    objective: Objective = by_heads,
) -> Iterator[Step]:
    """Take the steps of the plan that are left; one record per step."""
    rate = falling(len(plan), recipe.warmup_share, recipe.cooldown_steps)
    where = training.model.device
    training.model.train()
    for places in plan[training.done :]:
        set_rates(training.optimizer, rate(training.done))
        batch = collate([examples[n] for n in places]).to(where)
        loss, parts = descend(training, batch, recipe, objective)
        training.done += 1
        yield Step(number=training.done, of=len(plan), rows=len(places), loss=loss, parts=parts)


def steps(model: Classifier, examples: Sequence[Example], recipe: Recipe) -> Iterator[Step]:
    """Train from the beginning, without leaving anything on the disk."""
    plan = plan_of(examples, recipe)
    return run(begun(model, recipe), plan, examples, recipe)


class Keeper:
    """Leaves a usable model and a checkpoint, every few hundred steps or every few minutes."""

    def __init__(self, recipe: Recipe, identity: str, out: Path) -> None:
        self._recipe = recipe
        self._identity = identity
        self._out = out
        self._kept = time.monotonic()

    def follow(self, training: Training) -> None:
        minutes = (time.monotonic() - self._kept) / 60
        late = bool(self._recipe.checkpoint_minutes) and minutes >= self._recipe.checkpoint_minutes
        if late or training.done % self._recipe.checkpoint_steps == 0:
            self.keep(training)

    def keep(self, training: Training) -> None:
        write_checkpoint(training, self._identity, self._out / CHECKPOINT)
        save(training.average.model, self._out)
        self._kept = time.monotonic()

    def restore(self, training: Training, *, resume: bool) -> None:
        """Go on from the checkpoint if there is one. Raises FileExistsError unless told to."""
        path = self._out / CHECKPOINT
        if path.exists():
            if not resume:
                raise FileExistsError(f"{path} is of an earlier run; resume it or remove it")
            read_checkpoint(training, self._identity, path)


def train(
    model: Classifier,
    examples: Sequence[Example],
    recipe: Recipe,
    out: Path,
    *,
    resume: bool = False,
    last: int | None = None,
    objective: Objective = by_heads,
) -> None:
    """Train, log, and leave what a stopped run is exported or resumed from.

    last: the step to end with, its rates fallen to zero; without it, the last of the plan.
    """
    model.to(device())
    plan = plan_of(examples, recipe)
    training, progress = begun(model, recipe), Progress(recipe.log_steps)
    keeper = Keeper(recipe, fingerprint(recipe, examples, plan, model), out)
    keeper.restore(training, resume=resume)
    if recipe.adapter_rank and has_bfloat16(model.device):
        hold_in_bfloat16(model.encoder)
    for step in run(training, plan[:last], examples, recipe, objective):
        progress.follow(step)
        keeper.follow(training)
    keeper.keep(training)
    progress.close()
