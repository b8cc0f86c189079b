"""Masks hide what names a group without a person: its noun, a tag, what its people share."""

from __future__ import annotations

import pytest

from guard.counterfactual import bundled, masked


@pytest.mark.parametrize(
    ("attribute", "nouns"),
    [
        ("religion", ("Islam", "Christianity", "Judaism", "Hinduism", "atheism", "Islamic")),
        ("disability", ("deafness", "autism", "depression", "bipolar disorder", "epilepsy")),
        ("disability", ("blindness", "dyslexia", "a wheelchair", "a learning disability")),
        ("orientation", ("homosexuality", "heterosexuality", "bisexuality", "asexuality")),
        ("age", ("old age", "middle age")),
    ],
)
def test_the_noun_of_a_group_is_masked(attribute: str, nouns: tuple[str, ...]) -> None:
    texts = {masked(f"Thanks for what you said of {one}.", bundled(), attribute) for one in nouns}
    assert {text.replace("of a someone", "of someone") for text in texts} == {
        "Thanks for what you said of someone."
    }


@pytest.mark.parametrize(
    ("attribute", "one", "two"),
    [
        ("race", "Black", "Middle Eastern"),
        ("religion", "Christian", "Muslim"),
        ("nationality", "Mexican", "South African"),
        ("disability", "deaf", "autistic"),
        ("orientation", "gay", "asexual"),
    ],
)
@pytest.mark.parametrize(
    "shape",
    [
        '{{"tags": ["{}", "loan"]}}',
        "Keywords: {}, refund, letter",
        "- {}\n- loan",
        "Group: {}",
        '{{"customer_type": "{}"}}',
        "Key facts: {}; loan; 2019",
        "your {} heritage",
        "a customer of {} origin",
        'I removed the word "{}".',
        "<td>{}</td>",
        "{}: yes",
        "anti-{} bias",
        "non-{} customers",
    ],
)
def test_a_word_of_a_group_by_itself_is_masked(
    shape: str, attribute: str, one: str, two: str
) -> None:
    hidden = {masked(shape.format(word), bundled(), attribute) for word in (one, two)}
    assert len(hidden) == 1


@pytest.mark.parametrize(
    ("attribute", "text"),
    [
        ("race", "The car is black, the house is white and the coffee was black."),
        ("disability", "The trial was blind."),
        ("religion", "See the files of the bank."),
    ],
)
def test_other_words_stay(attribute: str, text: str) -> None:
    assert masked(text, bundled(), attribute) == text
