"""Batches of rows of like length, in an order fixed by the seed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from train.recipe import Recipe
from train.rows import Row, Targets


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A row as token ids."""

    ids: Sequence[int]
    targets: Targets
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Tensors of one step; unknown targets are NaN."""

    input_ids: Tensor
    attention_mask: Tensor
    targets: Tensor
    weights: Tensor


def read_tokenizer(folder: Path, max_tokens: int) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def encode(rows: Sequence[Row], tokenizer: Tokenizer) -> list[Example]:
    encodings = tokenizer.encode_batch_fast([row.text for row in rows])
    return [
        Example(ids=encoding.ids, targets=row.targets, weight=row.weight)
        for row, encoding in zip(rows, encodings, strict=True)
    ]


def collate(examples: Sequence[Example]) -> Batch:
    width = max(len(example.ids) for example in examples)
    ids = torch.zeros(len(examples), width, dtype=torch.long)
    mask = torch.zeros_like(ids)
    for line, example in enumerate(examples):
        ids[line, : len(example.ids)] = torch.tensor(example.ids)
        mask[line, : len(example.ids)] = 1
    targets = [[nan if t is None else t for t in example.targets] for example in examples]
    return Batch(
        input_ids=ids,
        attention_mask=mask,
        targets=torch.tensor(targets, dtype=torch.float32),
        weights=torch.tensor([example.weight for example in examples]),
    )


def chunks(order: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (order[start : start + size] for start in range(0, len(order), size))


def shuffled(count: int, generator: torch.Generator) -> list[int]:
    order: list[int] = torch.randperm(count, generator=generator).tolist()
    return order


def epoch(
    examples: Sequence[Example], recipe: Recipe, generator: torch.Generator
) -> Iterator[Batch]:
    """Sort by length inside shuffled pools, then shuffle the batches of each pool."""
    order = shuffled(len(examples), generator)
    for pool in chunks(order, recipe.batch_rows * recipe.pool_batches):
        by_length = sorted(pool, key=lambda i: len(examples[i].ids))
        batches = list(chunks(by_length, recipe.batch_rows))
        for place in shuffled(len(batches), generator):
            yield collate([examples[i] for i in batches[place]])


def in_order(examples: Sequence[Example], size: int) -> Iterator[tuple[list[int], Batch]]:
    """Batches for prediction with the places of their rows."""
    by_length = sorted(range(len(examples)), key=lambda i: len(examples[i].ids))
    for places in chunks(by_length, size):
        yield list(places), collate([examples[i] for i in places])
