"""Words that were spelt out, read by tokenizers that keep zero-width spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from guard.scoring.visible_encoder import VisibleEncoder
from guard.scoring.vocabulary import Vocabulary, open_vocabulary

BYTES = sorted(pre_tokenizers.ByteLevel.alphabet())
MERGES = [("i", "d"), ("id", "i"), ("idi", "o"), ("idio", "t")]


def byte_level() -> Tokenizer:
    """Byte-level BPE, as RoBERTa has it, that knows one word."""
    words = [*BYTES, *("".join(pair) for pair in MERGES)]
    places = {word: place for place, word in enumerate(words)}
    made = Tokenizer(models.BPE(places, MERGES))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return made


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    content = byte_level().to_str().encode()
    return open_vocabulary(content, window=64, overlap=8, name="tokenizer.json")


def ids(vocabulary: Vocabulary, text: str) -> list[int]:
    return [token for window in vocabulary.windows(text) for token in window.ids]


@pytest.mark.parametrize("disguised", ["you i-d-i-o-t", "you i d i o t", "you id\u200biot"])
def test_a_word_that_is_spelt_out_is_read_as_the_word(
    vocabulary: Vocabulary, disguised: str
) -> None:
    assert ids(vocabulary, disguised) == ids(vocabulary, "you idiot")
    (window,) = vocabulary.windows(disguised)
    assert (window.span.start, window.span.end) == (0, len(disguised))


@given(st.text(st.sampled_from("ab \u200b.é"), max_size=12))
def test_offsets_are_those_of_the_text_with_what_stands_for_nothing(text: str) -> None:
    found = VisibleEncoder(byte_level().encode)(text)
    assert len(found.ids) == len(found.offsets) == len(found.word_ids)
    for start, end in found.offsets:
        assert 0 <= start <= end <= len(text)
        assert not text[start:end].startswith("\u200b")
        assert not text[start:end].endswith("\u200b")
    covered = {at for start, end in found.offsets for at in range(start, end)}
    assert covered >= {at for at, one in enumerate(text) if one not in " \u200b"}
