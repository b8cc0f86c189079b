"""Verbs follow the pronoun from "she" to "they"; what is not its verb stays."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, rewrite


@pytest.mark.parametrize(
    ("she", "they"),
    [
        ("She is here.", "They are here."),
        ("SHE IS HERE.", "THEY ARE HERE."),
        ("She has left.", "They have left."),
        ("Does she know?", "Do they know?"),
        ("Isn't she tired?", "Aren't they tired?"),
        ("She doesn't, does she?", "They don't, do they?"),
        ("She's been there.", "They've been there."),
        ("She's tired.", "They're tired."),
        ("She’s got it.", "They’ve got it."),
        ("She'd go if she'd known.", "They'd go if they'd known."),
        ("What's she like?", "What are they like?"),
        ("Where's she gone?", "Where have they gone?"),
        ("She quickly runs and then jumps.", "They quickly run and then jump."),
        ("She likes cats and dogs.", "They like cats and dogs."),
        ("She likes songs and dances.", "They like songs and dances."),
        ("She packs a bag and leaves.", "They pack a bag and leave."),
        ("She, who is tired, goes home.", "They, who are tired, go home."),
        ("She, on the other hand, goes.", "They, on the other hand, go."),
        ("She thinks the plan works.", "They think the plan works."),
        ("The thing is she walks.", "The thing is they walk."),
        ("So does she.", "So do they."),
        ("She and her brother are here.", "They and their brother are here."),
        ("She tries, cries and passes.", "They try, cry and pass."),
        ("She can swim and is learning.", "They can swim and are learning."),
        ("She always was.", "They always were."),
        ("She who laughs last laughs best.", "They who laugh last laugh best."),
        ('She says "I am late" and runs.', 'They say "I am late" and run.'),
    ],
)
def test_singular_they(she: str, they: str) -> None:
    made = rewrite(she, bundled(), attribute="gender", to="neutral", source="female")
    assert made.text == they


def test_agreement_is_listed_with_its_place() -> None:
    made = rewrite("Does she know?", bundled(), attribute="gender", to="neutral")
    assert [(one.old, one.new, one.why) for one in made.replacements] == [
        ("Does", "Do", "agreement"),
        ("she", "they", "pronoun.subject"),
    ]


def test_they_becomes_he_where_one_person_is_meant() -> None:
    text = "The person lost their keys. They are sad and they want help."
    made = rewrite(text, bundled(), attribute="gender", to="female", source="neutral")
    assert made.text is not None
    assert made.text.endswith("lost her keys. She is sad and she wants help.")


@pytest.mark.parametrize("text", ["They were late.", "The person met two doctors. They left."])
def test_they_without_one_person_is_declined(text: str) -> None:
    made = rewrite(text, bundled(), attribute="gender", to="female", source="neutral")
    assert made.declined in (Declined.UNSURE, Declined.NO_MENTION)
