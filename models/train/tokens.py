"""Texts as the guard's classifier reads them: the tokens of what its vocabulary has."""

from collections.abc import Iterator, Sequence
from functools import partial

from tokenizers import Tokenizer

from guard.scoring.known_encoder import KnownEncoder
from guard.text import clean

UNKNOWN = "[UNK]"


def tokens_of(texts: Sequence[str], tokenizer: Tokenizer) -> Iterator[list[int]]:
    """Token ids of each text, special ones left out.

    Signs that the vocabulary does not have are spaces, and other words that it does not have are
    left out (`guard/scoring/vocabulary.py`).
    """
    unknown = tokenizer.token_to_id(UNKNOWN)
    encode = KnownEncoder(partial(tokenizer.encode, add_special_tokens=False), unknown)
    for text in texts:
        yield [token for token in encode(clean(text)).ids if token != unknown]
