"""Hostile texts through the real tokenizer and the engine: scored or unscored, never a crash."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guard.records import Assessment, Span, Unscored
from guard.scoring import Catalogue, Classifier, Engine, EngineOptions
from guard.scoring.models import Ids, Output
from guard.scoring.vocabulary import Vocabulary, open_vocabulary
from guard.text import gaps
from tests.repeats import repeats

SCRIPTS = st.sampled_from(
    [
        *("hello ", "world. ", "You idiot! ", "Dr. ", "x" * 101, "y" * 350, "a-b_c/d", "don't "),
        *("\0", "\ud800", "\udc00", "\x01", "\x0b", "\x1c", "\x7f", "\x85", "\ufeff", "\ufffd"),
        *("\u202e", "\u2066", "\u200d", "\u200b", "\u00ad", "\u2028", "\u00a0", "\u3000", "\t\n"),
        *("\U0001f600", "\U0001f468\u200d\U0001f469", "\u2764\ufe0f", "\U0001f1e6", "\U000e0041"),
        *("\u0634\u062a\u0645 ", "\u05e9\u05dc\u05d5\u05dd", "\ufdfa", "\u0e2a\u0e27\u0e31\u0e2a"),
        *(
            "\u4f60\u597d\u3002",
            "\u306f\u3044",
            "\uac01\ub2c8",
            "\u0928\u092e\u0938\u094d",
            "\u1fb7",
        ),
        *(
            "\uff33\uff54",
            "\U0001d4d0",
            "e\u0301\u0301\u0301",
            "\u0130",
            "\u1e9e",
            "\ufb03",
            "\U0001d15f",
        ),
        *("[SEP]", "[CLS]", "[PAD]", "##x", "</s>", "%s", "{}", "\\", "'; --"),
    ]
)
LONG = repeats(20_000, soak=100_000)
TEXTS = st.one_of(
    st.text(st.characters(codec=None), max_size=60),
    st.lists(SCRIPTS, max_size=25).map("".join),
    st.builds(lambda unit, times, end: unit * times + end, SCRIPTS, st.integers(1, 300), SCRIPTS),
)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    model = Catalogue.installed().find("bundled")
    return open_vocabulary(
        (model.folder / "tokenizer.json").read_bytes(),
        window=model.manifest.window_tokens,
        overlap=model.manifest.overlap_tokens,
        name="tokenizer.json",
    )


@pytest.fixture(scope="module")
def engine(vocabulary: Vocabulary) -> Iterator[Engine]:
    """The real tokenizer; of the model only the shapes, and a second look at every third text."""
    heads = Catalogue.installed().find("bundled").manifest.heads

    def session(ids: Ids, mask: Ids) -> Output:
        assert ids.shape == mask.shape
        assert ids.shape[1] <= 128
        assert (ids >= 0).all()
        near = ids.sum(axis=1, keepdims=True) % 3 == 0
        return np.where(near, 5.0, -5.0).repeat(len(heads), axis=1).astype(np.float32)

    classifier = Classifier(vocabulary=vocabulary, session=session, heads=heads)
    with Engine(classifier, EngineOptions(workers=2)) as engine:
        yield engine


def check(text: str, found: Assessment) -> None:
    assert found.reason in {None, Unscored.EMPTY, Unscored.UNREADABLE}
    assert found.uncovered == () or found.reason is Unscored.UNREADABLE
    for score in found.scores.values():
        if score.value is None:
            assert found.reason is not None
            assert score.reason is found.reason
        else:
            assert 0.0 <= score.value <= 1.0
            assert score.span is not None
            within(text, score.span)
    for passage in found.passages:
        within(text, passage.span)
        assert text[passage.span.start : passage.span.end].strip()


def within(text: str, span: Span) -> None:
    assert 0 <= span.start < span.end <= len(text)


@given(TEXTS)
@settings(max_examples=repeats(80, soak=2000))
def test_every_text_is_scored_as_far_as_its_letters_are_known(engine: Engine, text: str) -> None:
    check(text, engine.submit(text).result(60))


@given(st.lists(TEXTS, min_size=2, max_size=12))
@settings(max_examples=repeats(30, soak=200))
def test_so_it_is_among_others(engine: Engine, texts: list[str]) -> None:
    futures = [engine.submit(text) for text in texts]
    for text, future in zip(texts, futures, strict=True):
        check(text, future.result(60))


@given(TEXTS)
@settings(max_examples=repeats(80, soak=1000))
def test_windows_cover_every_token_at_its_place(vocabulary: Vocabulary, text: str) -> None:
    windows = list(vocabulary.windows(text))
    assert all(len(window.ids) <= vocabulary.size for window in windows)
    assert all(window.ids or window.has_unknown for window in windows)
    assert not windows or gaps(text, (window.span for window in windows)) == ()
    for window in windows:
        assert not set(window.ids) & {*vocabulary.before, *vocabulary.after, vocabulary.unknown}


@pytest.mark.parametrize(
    "text",
    [
        "x" * LONG,
        "\uac01" * LONG,
        "stupid" * (LONG // 5),
        " " * LONG,
        "\0" * LONG,
        "\u202e" * LONG,
        "\U0001f600" * (LONG // 2),
        ". " * (LONG // 2),
        "\n" * LONG + "x",
    ],
    ids=["word", "hangul", "glued", "blank", "nul", "bidi", "emoji", "stops", "lines"],
)
def test_long_monotonous_texts(engine: Engine, text: str) -> None:
    check(text, engine.submit(text).result(120))


def test_a_word_that_is_too_long_for_wordpiece_is_read(vocabulary: Vocabulary) -> None:
    unknown = set(vocabulary.encode("x" * 101).ids)
    assert len(unknown) == 1
    for text in ("idiot" * 30, "\ub2c8" * 120, "\u00e9" * 150):
        read = {token for window in vocabulary.windows(text) for token in window.ids}
        assert not read & unknown


def test_no_character_becomes_more_than_three() -> None:
    """So 33 characters never exceed the 100 that WordPiece reads: broken words rest on that."""
    points = (point for point in range(0x110000) if not 0xD800 <= point < 0xE000)
    change = (one for one in map(chr, points) if _changes(one))
    assert max(len(_normalised(one)) for one in change) == 3


def _changes(character: str) -> bool:
    return not unicodedata.is_normalized("NFD", character) or character.lower() != character


def _normalised(character: str) -> str:
    """As the tokenizer does it: decompose, drop marks, lower."""
    parts = unicodedata.normalize("NFD", character)
    return "".join(part for part in parts if unicodedata.category(part) != "Mn").lower()
