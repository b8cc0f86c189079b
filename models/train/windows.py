"""Texts longer than the model reads at once: cut into windows, and put together again."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from train.heads import HEADS

OVERLAP = 32


def windows(content: Sequence[int], room: int, overlap: int) -> Iterator[Sequence[int]]:
    """Pieces of at most `room` tokens; neighbours share `overlap` tokens."""
    for start in range(0, max(1, len(content) - overlap), room - overlap):
        yield content[start : start + room]


def harms() -> Tensor:
    """Which outputs are of a text what they are of its worst window."""
    return torch.tensor([head.harm for head in HEADS])


def together(logits: Tensor, texts: Tensor, tokens: Tensor) -> Tensor:
    """Logits of texts from those of their windows, read as the engine reads values.

    logits: [windows, heads]. texts: the place of each window's text, [windows]. tokens: the length
    of each window. Harm is as high as in the highest window; the rest is the mean by tokens.
    """
    count = int(texts.max()) + 1
    places = texts.unsqueeze(1).expand_as(logits)
    empty = logits.new_zeros(count, logits.shape[1])
    highest = empty.scatter_reduce(0, places, logits, "amax", include_self=False)
    shares = tokens / tokens.new_zeros(count).index_add(0, texts, tokens)[texts]
    mean = empty.index_add(0, texts, logits * shares.unsqueeze(1))
    return torch.where(harms().to(logits.device), highest, mean)
