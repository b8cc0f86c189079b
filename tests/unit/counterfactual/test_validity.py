"""A rewrite is used only if nobody of the old group is left and nothing else has changed."""

from __future__ import annotations

import pytest

from guard.counterfactual import Check, Replacement, bundled, check
from guard.counterfactual.eligible import sampled
from guard.counterfactual.validity import dissimilarity
from guard.records import Span


def failed(checks: tuple[Check, ...]) -> list[str]:
    return [one.name for one in checks if not one.passed]


def checked(original: str, rewritten: str) -> list[str]:
    return failed(check(original, rewritten, bundled(), "gender", "female"))


LONG = "The committee met on Monday and after two hours of talk asked whether she would stay on."


def test_a_word_of_the_old_group_is_found() -> None:
    assert checked("She lost her keys.", "He lost her keys.")[:1] == ["old_group_gone"]


def test_a_small_change_of_a_long_text_passes() -> None:
    assert checked(LONG, LONG.replace("she", "he")) == []


def test_a_free_rewrite_may_change_little() -> None:
    assert checked(LONG, "He was asked to stay.") == ["little_changed"]


def test_words_for_everybody_may_stay() -> None:
    text = LONG + " His or her reasons were heard."
    assert checked(text, text.replace("she", "he")) == []


def replaced(new: str, at: int) -> tuple[Replacement, ...]:
    span, place = Span(start=0, end=3), Span(start=at, end=at + len(new))
    return (Replacement(span=span, old="She", new=new, at=place, why="pronoun.subject"),)


@pytest.mark.parametrize(
    ("rewritten", "replacements"),
    [
        ("He left!", replaced("He", 0)),
        ("He left.", replaced("He", 1)),
        ("He left.", (*replaced("He", 0), *replaced("He", 0))),
        ("He left.", ()),
    ],
)
def test_any_other_change_is_found(rewritten: str, replacements: tuple[Replacement, ...]) -> None:
    checks = check("She left.", rewritten, bundled(), "gender", "female", replacements=replacements)
    assert failed(checks) == ["nothing_else_changed"]


def test_dissimilarity_lies_between_0_and_1() -> None:
    assert dissimilarity("", "") == 0
    assert dissimilarity("a b", "b a") == 0
    assert dissimilarity("a b", "c d") == 1
    assert dissimilarity("a b c", "a b d") == 0.5


def test_sampling_keeps_its_share_and_its_answers() -> None:
    key = b"key"
    tenth = {str(one) for one in range(5000) if sampled(str(one), key, 0.1)}
    fifth = {str(one) for one in range(5000) if sampled(str(one), key, 0.2)}
    assert tenth < fifth
    assert 400 < len(tenth) < 600
    assert not any(sampled(str(one), key, 0.0) for one in range(100))
    assert all(sampled(str(one), key, 1.0) for one in range(100))
    assert tenth != {str(one) for one in range(5000) if sampled(str(one), b"other", 0.1)}


def test_a_share_outside_0_and_1_is_refused() -> None:
    with pytest.raises(ValueError, match="share"):
        sampled("id", b"", 1.5)
