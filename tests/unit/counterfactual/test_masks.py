"""Masks make a text and its rewrite alike; the control speaks of the same group."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, control, masked, rewrite


@pytest.mark.parametrize(
    ("text", "attribute", "to"),
    [
        ("An actor said he lost his keys.", "gender", "female"),
        ("Laura told me that the seat was hers.", "gender", "male"),
        ("Ms. Mary Smith said that Dr. Emily Brown lost her card.", "gender", "male"),
        ("Grace, please help. Grace wants her money.", "gender", "male"),
        ("MARY lost HER card. My aunt MARIA is ill.", "gender", "male"),
        ("An Asian man spoke.", "race", "black"),
        ("Muslims and an atheist's friend met a Muslim.", "religion", "jewish"),
    ],
)
def test_a_text_and_its_rewrite_are_the_same_when_masked(
    text: str, attribute: str, to: str
) -> None:
    source = None if attribute != "religion" else "muslim"
    made = rewrite(text, bundled(), attribute=attribute, to=to, source=source)
    assert made.text is not None
    assert made.text != text
    assert masked(text, bundled(), attribute) == masked(made.text, bundled(), attribute)


@pytest.mark.parametrize("title", ["Mr.", "Ms", "Mrs.", "Dr.", "Prof.", "Captain", "Judge"])
def test_the_first_name_behind_a_title_is_masked(title: str) -> None:
    hidden = masked(f"{title} Mary Smith said she is out.", bundled(), "gender")
    assert "Mary" not in hidden
    assert hidden.endswith("someone Smith said someone is out.")


def test_the_mark_is_the_callers() -> None:
    assert masked("Is she here?", bundled(), "gender", mark="X") == "Is X here?"


def test_control_exchanges_a_name_everywhere() -> None:
    first, second = control(["Laura is here.", "Ask Laura."], bundled(), "gender", 1)
    assert first.text is not None
    name = first.text.split()[0]
    assert name != "Laura"
    assert second.text == f"Ask {name}."
    assert first.source_group == first.target_group == "female"


def test_control_is_the_same_for_the_same_seed() -> None:
    texts = ["The woman and her mother met a lady."]
    assert control(texts, bundled(), "gender", 5) == control(texts, bundled(), "gender", 5)


def test_control_puts_no_phrase_where_an_adjective_stands() -> None:
    for seed in range(6):
        (made,) = control(["My autistic nurse is here."], bundled(), "disability", seed)
        assert made.text == "My neurodivergent nurse is here."


def test_control_needs_more_than_pronouns() -> None:
    (made,) = control(["She left."], bundled(), "gender", 1)
    assert made.declined is Declined.NO_COUNTERPART
    (made,) = control(["It rains."], bundled(), "gender", 1)
    assert made.declined is Declined.NO_MENTION


def test_control_calls_nobody_a_male_or_a_female() -> None:
    texts = ["The woman lost her keys.", "The man lost his keys."]
    made = [control(texts, bundled(), "gender", seed) for seed in range(30)]
    words = {word for pair in made for one in pair for word in (one.text or "").split()}
    assert words.isdisjoint(("male", "female"))
