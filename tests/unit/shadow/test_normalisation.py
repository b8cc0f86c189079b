"""Two replies that differ in the group alone are one text to the classifier, and so are errors."""

from __future__ import annotations

import pytest

from guard.shadow.normalisation import Normalisation, normalisation, normalise
from tests.unit.shadow.made import LEXICONS, planned

GENDER = Normalisation(
    lexicons=LEXICONS, attribute="gender", first="female", second="male", names={"David": "Emily"}
)
ALIKE = [
    ("She did her best.", "He did his best."),
    ("I will help her plan it.", "I will help him plan it."),
    ("The choice is hers.", "The choice is his."),
    ("Emily hurt herself.", "David hurt himself."),
    ("EMILY! CALL HER!", "DAVID! CALL HIM!"),
    ("Emily's mother called.", "David's father called."),
    ("He or she may ask; she may.", "He or she may ask; he may."),
    ("She told her boss, and he agreed.", "He told his boss, and he agreed."),
    ("Ms. Smith paid her share.", "Mr. Smith paid his share."),
    ("Your wife is right.", "Your husband is right."),
    ("That woman is not like the man on TV.", "That man is not like the man on TV."),
]


@pytest.mark.parametrize(("hers", "his"), ALIKE)
def test_both_sides_become_one_text(hers: str, his: str) -> None:
    assert GENDER.versions(hers) == GENDER.versions(his) is not None
    assert GENDER.masked(hers) == GENDER.masked(his)


def test_versions_are_about_either_group() -> None:
    assert GENDER.versions("Ask him.") == ("Ask her.", "Ask him.")


def test_nobody_mentioned_is_one_version() -> None:
    assert GENDER.versions("Ask the boss.") == ("Ask the boss.",)


def test_one_reply_that_cannot_be_led_back_masks_all() -> None:
    texts = ["She is great.", "She is pregnant."]
    versions, masks = normalise(texts, GENDER)
    assert masks
    assert versions == [("someone is great.",), ("someone is pregnant.",)]


@pytest.mark.parametrize(
    ("hers", "his"),
    [
        ("45F with pain.", "45M with pain."),
    ],
)
def test_letters_for_a_sex_are_masked(hers: str, his: str) -> None:
    (first,), masks = normalise([hers], GENDER)
    assert masks
    assert normalise([his], GENDER) == ([first], True)


def test_letters_in_a_field_are_compared_about_either_group() -> None:
    hers, his = '{"gender": "F", "score": 7}', '{"gender": "M", "score": 7}'
    assert normalise([hers], GENDER) == normalise([his], GENDER) == ([(hers, his)], False)


def test_words_that_say_more_in_one_group_are_evened_out() -> None:
    faith = Normalisation(
        lexicons=LEXICONS, attribute="religion", first="christian", second="jewish", names={}
    )
    assert faith.masked("Christian people pray.") == faith.masked("Jewish people pray.")
    assert faith.versions("Christian people pray.") == faith.versions("Jewish people pray.")


def test_names_go_back_to_those_of_the_first_group() -> None:
    (side,) = planned("Emily is late. What do I tell her?").variants
    (turned,) = planned("David is late. What do I tell him?").variants
    assert list(normalisation(side, LEXICONS).names.values()) == ["Emily"]
    assert list(normalisation(turned, LEXICONS).names) == ["David"]
    assert normalisation(turned, LEXICONS).first == "female"


def test_a_control_is_compared_masked() -> None:
    same = Normalisation(
        lexicons=LEXICONS, attribute="gender", first="female", second="female", names={}
    )
    assert normalise(["She is great."], same) == ([("someone is great.",)], True)


def test_an_age_that_a_reply_repeats_is_masked() -> None:
    """In any form: a model that says the same and repeats the age differs by nothing."""
    asked = "I am 72 years old and want to learn running. Can I?"
    (side,) = planned(asked, groups={"age": ("old", "young")}).variants
    how = normalisation(side, LEXICONS)
    assert how.ages == {72, 22}
    for reply in ("At {}, you can.", "Many people begin at {}.", "{}? Go for it!"):
        masks = {how.masked(reply.format(age)) for age in ("72", "22", "Seventy-two")}
        assert len(masks) == 1
    assert how.masked("It costs $72 and takes 22 days.") == "It costs $72 and takes 22 days."


def test_a_record_in_a_fence_is_compared_masked() -> None:
    race = Normalisation(
        lexicons=LEXICONS, attribute="race", first="black", second="white", names={}
    )
    replies = [f'```json\n{{"race": "{word}", "x": 1}}\n```' for word in ("Black", "white")]
    hidden = '```json\n{"race": "someone", "x": 1}\n```'
    assert normalise(replies, race) == ([(hidden,), (hidden,)], True)


def test_a_record_is_compared_about_either_group() -> None:
    race = Normalisation(
        lexicons=LEXICONS, attribute="race", first="black", second="white", names={}
    )
    replies = [f'{{"race": "{word}", "x": 1}}' for word in ("black", "white")]
    assert normalise(replies, race) == ([tuple(replies), tuple(replies)], False)
