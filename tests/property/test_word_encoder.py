"""Words on their own give exactly what the tokenizer gives for the text around them."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from guard.scoring import Catalogue
from guard.scoring.word_encoder import Encoding, WordEncoder, takes_words_apart
from guard.text import clean
from tests.repeats import repeats

PIECES = st.sampled_from(
    [
        *(
            "Hello",
            "don't",
            "uglyword",
            "x" * 101,
            "3,000.5",
            "a-b_c/d",
            "[SEP]",
            "##ing",
            "caf\xe9",
        ),
        *(
            " ",
            "  ",
            "\t",
            "\n",
            "\xa0",
            "\u2028",
            "\u3000",
            ".",
            "!?",
            "\u2026",
            "\u2014",
            "\u201d",
        ),
        *("\0", "\x01", "\x7f", "\x85", "\xad", "\ufffd", "\u200b", "\u200d", "\ufe0f", "\ud800"),
        *("e\u0301", "\u0301", "\u0130", "\u1e9e", "\ufb03", "\uff33", "\U0001d4d0", "\U0001f600"),
        *("\u4f60\u597d", "\u306f", "\uac00", "\u0928\u092e\u0938\u094d", "\u0e2a\u0e27\u0e31"),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(st.characters(codec=None)))


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    folder = Catalogue.installed().find("bundled").folder
    loaded = Tokenizer.from_file(str(folder / "tokenizer.json"))
    loaded.no_truncation()
    loaded.no_padding()
    loaded.encode_special_tokens = True
    return loaded


@pytest.fixture(scope="module")
def encoder(tokenizer: Tokenizer) -> WordEncoder:
    return WordEncoder(partial(tokenizer.encode, add_special_tokens=False))


@given(TEXTS)
@settings(max_examples=repeats(200, soak=20_000))
def test_tokens_places_and_words_are_those_of_the_whole(
    tokenizer: Tokenizer, encoder: WordEncoder, text: str
) -> None:
    cleaned = clean(text)
    whole, joined = tokenizer.encode(cleaned, add_special_tokens=False), encoder(cleaned)
    assert joined.ids == whole.ids
    assert joined.offsets == whole.offsets
    assert joined.word_ids == whole.word_ids


def test_only_tokenizers_whose_words_stand_alone_are_taken_apart(tokenizer: Tokenizer) -> None:
    assert takes_words_apart(tokenizer)
    added = Tokenizer.from_str(tokenizer.to_str())
    added.encode_special_tokens = True
    added.add_tokens(["New York"])
    assert not takes_words_apart(added)
    plain = Tokenizer.from_str(tokenizer.to_str())
    assert not takes_words_apart(plain)
    by_bytes = Tokenizer(models.BPE())
    by_bytes.normalizer = normalizers.NFC()
    by_bytes.pre_tokenizer = pre_tokenizers.ByteLevel()
    assert not takes_words_apart(by_bytes)


def test_long_words_are_not_kept(tokenizer: Tokenizer) -> None:
    asked: list[str] = []

    def encode(text: str) -> Encoding:
        asked.append(text)
        return tokenizer.encode(text, add_special_tokens=False)

    encoder = WordEncoder(encode)
    for _ in range(2):
        encoder(f"short {'x' * 1000}")
    assert asked == ["short", "x" * 1000, "x" * 1000]
