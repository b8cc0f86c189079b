"""Texts as token ids, in batches of texts of like length, in an order fixed by the seed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from math import nan
from pathlib import Path
from typing import Self

import torch
from tokenizers import Tokenizer
from torch import Tensor

from train.heads import KEYS
from train.recipe import Recipe
from train.rows import Row, Targets
from train.soft_labels import short
from train.tokens import tokens_of
from train.windows import OVERLAP, windows

Ids = tuple[int, ...]

UNREAD = (nan,) * len(KEYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A row as token ids, window by window.

    bundle: rows that differ only in who they are about. key: of its text (`soft_labels.short`).
    soft: logits of a teacher.
    """

    windows: tuple[Ids, ...]
    targets: Targets
    weight: float
    bundle: str = ""
    key: int = 0
    soft: tuple[float, ...] | None = None

    @property
    def width(self) -> int:
        """Tokens of the longest window, which is the first."""
        return len(self.windows[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Tensors of one step; unknown targets are NaN.

    texts: of each window, the place of its row. bundles: of each row, the place of its bundle.
    soft: logits of a teacher, NaN where it has not read a row.
    """

    input_ids: Tensor
    attention_mask: Tensor
    texts: Tensor
    bundles: Tensor
    targets: Tensor
    soft: Tensor
    weights: Tensor

    def to(self, device: torch.device) -> Self:
        """The same on another device."""
        moved = {field.name: getattr(self, field.name).to(device) for field in fields(self)}
        return replace(self, **moved)


def read_tokenizer(folder: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def marks(tokenizer: Tokenizer) -> tuple[int, int]:
    """What the tokenizer puts before and after a text."""
    begin, end = tokenizer.encode("").ids
    return begin, end


def encode(rows: Sequence[Row], tokenizer: Tokenizer, recipe: Recipe) -> list[Example]:
    """Texts are made plain and cut as the engine does it."""
    contents = tokens_of([row.text for row in rows], tokenizer)
    begin, end = marks(tokenizer)
    room = recipe.max_tokens - 2
    return [
        Example(
            windows=tuple(
                (begin, *piece, end) for piece in windows(content, room, min(OVERLAP, room // 2))
            )[: recipe.max_windows],
            targets=row.targets,
            weight=row.weight,
            bundle=row.bundle or row.key,
            key=short(row.key),
        )
        for row, content in zip(rows, contents, strict=True)
    ]


def padded(pieces: Sequence[Ids]) -> tuple[Tensor, Tensor]:
    """Ids and mask of windows."""
    width = max(map(len, pieces))
    ids = torch.tensor([[*piece, *[0] * (width - len(piece))] for piece in pieces])
    lengths = torch.tensor([len(piece) for piece in pieces]).unsqueeze(1)
    return ids, (torch.arange(width) < lengths).long()


def places(names: Sequence[str]) -> Tensor:
    """A number for each distinct name, in the order of their first use."""
    known = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return torch.tensor([known[name] for name in names])


def collate(examples: Sequence[Example]) -> Batch:
    ids, mask = padded([piece for example in examples for piece in example.windows])
    targets = [[nan if t is None else t for t in example.targets] for example in examples]
    counts = torch.tensor([len(example.windows) for example in examples])
    return Batch(
        input_ids=ids,
        attention_mask=mask,
        texts=torch.arange(len(examples)).repeat_interleave(counts),
        bundles=places([example.bundle or str(n) for n, example in enumerate(examples)]),
        targets=torch.tensor(targets, dtype=torch.float32),
        soft=torch.tensor([example.soft or UNREAD for example in examples]),
        weights=torch.tensor([example.weight for example in examples]),
    )


def shuffled(count: int, generator: torch.Generator) -> list[int]:
    order: list[int] = torch.randperm(count, generator=generator).tolist()
    return order


def bundled(examples: Sequence[Example], order: Sequence[int]) -> list[list[int]]:
    """Places of the examples of each bundle, bundles in the order of their first example."""
    found: dict[str, list[int]] = {}
    for place in order:
        found.setdefault(examples[place].bundle or str(place), []).append(place)
    return list(found.values())


def size(bundle: Sequence[int], examples: Sequence[Example]) -> tuple[int, int]:
    """Width and number of windows of the longest row of a bundle."""
    return max((examples[n].width, len(examples[n].windows)) for n in bundle)


def filled(
    bundles: Sequence[Sequence[int]], examples: Sequence[Example], recipe: Recipe
) -> Iterator[list[int]]:
    """Batches up to a number of rows and of tokens; a bundle stays in one."""
    batch: list[int] = []
    tokens = 0
    for bundle in bundles:
        more = sum(len(examples[n].windows) for n in bundle) * size(bundle, examples)[0]
        full = len(batch) + len(bundle) > recipe.batch_rows or tokens + more > recipe.batch_tokens
        if batch and full:
            yield batch
            batch, tokens = [], 0
        batch, tokens = [*batch, *bundle], tokens + more
    if batch:
        yield batch


def planned(
    examples: Sequence[Example], recipe: Recipe, generator: torch.Generator
) -> Iterator[list[int]]:
    """An epoch: sort by length inside shuffled pools, then shuffle the batches of each pool."""
    bundles = bundled(examples, shuffled(len(examples), generator))
    pool_size = recipe.batch_rows * recipe.pool_batches
    for start in range(0, len(bundles), pool_size):
        pool = sorted(bundles[start : start + pool_size], key=lambda b: size(b, examples))
        batches = list(filled(pool, examples, recipe))
        yield from (batches[place] for place in shuffled(len(batches), generator))
