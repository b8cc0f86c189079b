"""The old become young adults and never minors, and minors become nobody else."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, rewrite, variants

OF_THE_OLD = """\
An elderly customer wants a credit card.|A young customer wants a credit card.
An elderly gentleman wants to buy a gun.|A young gentleman wants to buy a gun.
A geriatric patient needs an opioid.|A young patient needs an opioid.
My elderly boss called.|My young boss called.
A senior citizen asked for a bottle of wine.|A young person asked for a bottle of wine.
Two seniors want to book a room.|Two young people want to book a room.
An elder asked for a loan.|A young person asked for a loan.
An elderly patient, 84 y/o, has a cough.|A young patient, 24 y/o, has a cough.
The elderly woman turned 84.|The young woman turned 24.
An elderly couple wants to adopt a dog.|A young couple wants to adopt a dog.
My elderly wife called.|My young wife called.
An older worker applied.|A younger worker applied.
An octogenarian wants a broker.|A twentysomething wants a broker.
Age group: elderly|Age group: young"""

OF_MINORS = """\
A minor wants to open an account.
An underage customer asked for wine.
A teenager asked for a loan.
A teenage employee was late again.
Two adolescents broke our window.
A youngster broke our window.
Two youths were seen."""


@pytest.mark.parametrize("pair", OF_THE_OLD.splitlines())
def test_the_old_become_young_adults(pair: str) -> None:
    text, expected = pair.split("|")
    assert rewrite(text, bundled(), attribute="age", to="young").text == expected


@pytest.mark.parametrize("text", OF_MINORS.splitlines())
def test_a_minor_has_no_counterpart(text: str) -> None:
    made = variants([text], bundled(), "age")
    assert {one.declined for (one,) in made.values()} == {Declined.NO_COUNTERPART}


@pytest.mark.parametrize("text", ["A pensioner asked for a loan.", "Two retirees rent a car."])
def test_who_lives_on_a_pension_is_neither_young_nor_at_work(text: str) -> None:
    made = variants([text], bundled(), "age")
    assert {one.declined for (one,) in made.values()} == {Declined.NO_COUNTERPART}


@pytest.mark.parametrize(
    ("text", "target", "left"),
    [
        ("I'm 70. Is it common at my age?", "young", "at my age"),
        ("I'm 68 and have osteoporosis.", "young", "osteoporosis"),
        ("A 66-year-old man needs cataract surgery.", "young", "cataract"),
        ("An elderly man has Parkinson's.", "young", "Parkinson's"),
        ("An elderly man asks about his state pension.", "middle_aged", "pension"),
        ("An elderly lady uses a walking stick.", "young", "walking stick"),
        ("An elderly man moved to assisted living.", "young", "assisted living"),
        ("A 52-year-old woman takes hormones for menopause.", "young", "menopause"),
        ("A 45-year-old woman asks about IVF.", "old", "IVF"),
        ("A young person in college asks for a job.", "old", "in college"),
        ("A young man has a learner's permit.", "old", "learner's permit"),
        ("A young man applies for an apprenticeship.", "old", "apprenticeship"),
        ("Our young intern is only 19.", "old", "only"),
        ("A 44-year-old grandmother asks for a loan.", "young", "grandmother"),
        ("A 36-year-old woman, mother of a newborn, asks for leave.", "old", "newborn"),
        ("A 58-year-old professor emeritus applies.", "young", "emeritus"),
        ("I'm already 70 and work.", "young", "already"),
        ("An elderly person who graduated in 1962 asks for a job.", "young", "1962"),
        ("My elderly boss has been in the firm since 1975.", "young", "1975"),
    ],
)
def test_what_belongs_to_an_age_declines_the_text(text: str, target: str, left: str) -> None:
    done = rewrite(text, bundled(), attribute="age", to=target)
    assert done.declined is Declined.TIED
    assert left in done.detail


@pytest.mark.parametrize(
    "text",
    [
        "A young woman asks how much to save for retirement.",
        "A 45-year-old man asks about Medicare.",
        "My young colleague has dementia in the family.",
    ],
)
def test_what_is_far_from_the_young_lets_nobody_become_old(text: str) -> None:
    assert rewrite(text, bundled(), attribute="age", to="old").declined is Declined.TIED


@pytest.mark.parametrize(
    ("text", "target", "left"),
    [
        ("Two elderly sisters, 81 and 84, applied for a flat.", "young", "81"),
        ("My two elderly neighbours, both 80, moved.", "middle_aged", "80"),
        ("A young employee (23 years) asks for a raise.", "old", "23"),
        ("She is young, 23 to be exact, and wants a house.", "old", "23"),
        ("Elderly patient. 84M. Cough.", "young", "84"),
        ("A middle-aged woman, both 52 and single, wants a house.", "old", "52"),
    ],
)
def test_an_age_beside_a_word_for_it_stays_with_it(text: str, target: str, left: str) -> None:
    done = rewrite(text, bundled(), attribute="age", to=target)
    assert done.declined is Declined.TIED
    assert left in done.detail


@pytest.mark.parametrize(
    "text",
    [
        "An elderly man bought 3 lamps, 70 nails and a saw.",
        "An elderly man lives at Main Street 72.",
        "An elderly man paid $72, 80 less than before.",
    ],
)
def test_other_numbers_beside_a_word_for_an_age_tie_nobody(text: str) -> None:
    assert rewrite(text, bundled(), attribute="age", to="young").text
