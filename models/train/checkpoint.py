"""A run that was interrupted goes on where it was, to the same weights as an uninterrupted one."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.optim import AdamW

from train.average import MovingAverage
from train.batches import Example
from train.files import replacing
from train.model import Classifier, load_trained, trained_state
from train.recipe import Recipe

Plan = Sequence[Sequence[int]]


def described(recipe: Recipe) -> str:
    """The recipe as JSON, the same in every process."""
    return json.dumps(asdict(recipe), sort_keys=True, default=sorted)


def content(example: Example) -> tuple[object, ...]:
    """What is learnt from a row."""
    return example.windows, example.targets, example.soft


def frozen_bytes(model: Classifier) -> Iterator[bytes]:
    """Of the parameters that a run leaves as they are, which a checkpoint does not hold."""
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            yield name.encode()
            yield parameter.detach().cpu().numpy().tobytes()


def fingerprint(recipe: Recipe, examples: Sequence[Example], plan: Plan, model: Classifier) -> str:
    """Changes with any number of the recipe, the rows, their order, and the frozen weights."""
    digest = hashlib.sha256(described(recipe).encode())
    for batch in plan:
        digest.update(np.array(batch, np.int64).tobytes())
    for example in examples:
        digest.update(repr(content(example)).encode())
    for part in frozen_bytes(model):
        digest.update(part)
    return digest.hexdigest()


@dataclass(slots=True, kw_only=True)
class Training:
    """All that changes from step to step. done: steps of the plan that were taken."""

    model: Classifier
    average: MovingAverage
    optimizer: AdamW
    done: int = 0


def write_checkpoint(training: Training, identity: str, path: Path) -> None:
    state = {
        "identity": identity,
        "done": training.done,
        "model": trained_state(training.model),
        "average": training.average.state_dict(),
        "optimizer": training.optimizer.state_dict(),
        "random": torch.get_rng_state(),
        "random_gpu": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    with replacing(path) as partial:
        torch.save(state, partial)


def read_checkpoint(training: Training, identity: str, path: Path) -> None:
    """Raises ValueError where the checkpoint is of other rows or of another recipe."""
    state: dict[str, Any] = torch.load(path, weights_only=True, map_location="cpu")
    if state["identity"] != identity:
        raise ValueError(
            f"{path} was made with other rows or another recipe; use its code and data"
        )
    load_trained(training.model, state["model"])
    training.average.load_state_dict(state["average"])
    training.optimizer.load_state_dict(state["optimizer"])
    training.done = state["done"]
    torch.set_rng_state(state["random"])
    if torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["random_gpu"])
