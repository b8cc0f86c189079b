"""The words that a run of letters most likely is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guard.text.unigrams import Unigrams, english_unigrams, segment


@pytest.mark.parametrize(
    ("letters", "words"),
    [
        ("", []),
        ("whatarethey", ["what", "are", "they"]),
        ("nobodywantstoknow", ["nobody", "wants", "to", "know"]),
        ("youareagenius", ["you", "are", "a", "genius"]),
        ("theqqdog", ["the", "q", "q", "dog"]),
    ],
)
def test_common_words_are_found(letters: str, words: list[str]) -> None:
    assert segment(letters, english_unigrams()).words == words


def test_the_likeliest_words_of_all_are_taken() -> None:
    costs = {"the": 1.0, "them": 4.0, "men": 2.5, "en": 9.0}
    beginnings = frozenset(word[:end] for word in costs for end in range(1, len(word)))
    unigrams = Unigrams(costs=costs, phrases={}, beginnings=beginnings, common=frozenset())
    found = segment("themen", unigrams)
    assert (found.words, found.cost) == (["the", "men"], 3.5)
    assert list(found.bounds()) == [(0, 3), (3, 6)]


@given(st.text("abeht", max_size=60))
def test_words_are_all_letters_and_their_costs(letters: str) -> None:
    found = segment(letters, english_unigrams())
    assert "".join(found.words) == letters
    assert found.cost <= 10.5 * len(letters)
    assert found.cost >= 0


def test_rare_and_unknown_words_are_not_common() -> None:
    common = english_unigrams().common
    assert {"a", "i", "you", "letter", "letters", "immigrants"} <= common
    assert common.isdisjoint({"ii", "xq", "b", "donaudampf"})


def test_an_unknown_word_costs_more_the_longer_it_is() -> None:
    cost = english_unigrams().cost
    assert cost(["the"]) < cost(["zzz"]) < cost(["zzzz"])
    assert cost(["the", "zzz"]) == cost(["the"]) + cost(["zzz"])
