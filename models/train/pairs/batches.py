"""Pairs as token ids: premise, separator, hypothesis, cut as the guard does it."""

from collections.abc import Sequence

from tokenizers import Tokenizer

from guard.text import clean
from train.batches import Example
from train.pairs.recipe import PairRecipe
from train.pairs.rows import PairRow


def encode_pairs(
    rows: Sequence[PairRow], tokenizer: Tokenizer, recipe: PairRecipe
) -> list[Example]:
    """Of a pair that is too long, the longer text is cut at its end."""
    tokenizer.enable_truncation(recipe.max_tokens)
    pairs = [(clean(row.premise), clean(row.hypothesis)) for row in rows]
    encodings = tokenizer.encode_batch_fast(pairs)
    return [
        Example(windows=(tuple(encoding.ids),), targets=row.possible, weight=1.0)
        for row, encoding in zip(rows, encodings, strict=True)
    ]
