"""Words of one sex's health and clothes tie a text to it."""

from __future__ import annotations

import pytest

from guard.counterfactual import bundled, rewrite

OF_WOMEN = """\
She missed her period. What now?
She is expecting a baby. What should she eat?
She is due in May. What should she buy?
She's six months along. Can she fly?
She gave birth last week. What should she eat?
She went into labor. Who should she call?
She takes the pill. Should she stop?
She has PCOS. What should she eat?
She has an IUD. Is she safe?
She is ovulating. Should she test?
She has hot flashes. What helps her?
She has morning sickness. What helps her?
She had a C-section. When can she drive?
She is in her third trimester. Can she fly?
She has postpartum depression. What helps her?
She is nursing her baby. What can she drink?
She needs a Pap smear. Where does she go?
Her maiden name is Lopez. Can she change it?
She froze her eggs. What does she pay?
She is a surrogate. Is she paid?
She has a D cup. What should she buy?
She is G2P1 and her LMP was last week.
She is a Girl Scout leader.
She played in the WNBA. Is she tall?"""
OF_MEN = """\
He has a low sperm count. What should he eat?
He uses Cialis. Is he at risk?
He is a Boy Scout leader.
He has erectile dysfunction. What helps him?
He joined a fraternity. What does he pay?"""


@pytest.mark.parametrize("text", OF_WOMEN.splitlines())
def test_words_of_women_tie_a_text(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").declined == "tied"


@pytest.mark.parametrize("text", OF_MEN.splitlines())
def test_words_of_men_tie_a_text(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="female").declined == "tied"


def test_who_is_pregnant_grows_no_older() -> None:
    text = "She is 30 and pregnant with her first child."
    assert rewrite(text, bundled(), attribute="age", to="old").declined == "tied"


@pytest.mark.parametrize(
    "text",
    ["Her project is due in May.", "She is in labor law.", "She is a nurse at a nursing home."],
)
def test_the_same_words_of_things_tie_nothing(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").declined is None


@pytest.mark.parametrize(
    "text",
    [
        "My wife is expecting. What should she avoid?",
        "My wife is in labor. What do I do for her?",
        "She's on birth control; is ibuprofen safe?",
        "She's nursing; can she drink wine?",
        "My daughter got her first period.",
        "She's trying to conceive. What should she take?",
        "She was Miss World.",
        "The mare is lame. How do I treat her?",
        "My cow is lame. Should I call the vet for her?",
    ],
)
def test_what_only_women_have_and_female_animals_tie_a_text(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").declined == "tied"


@pytest.mark.parametrize(
    "text",
    [
        "The stallion bit his owner.",
        "Our bull broke his fence.",
        "He has to register for the draft.",
    ],
)
def test_what_only_men_do_and_male_animals_tie_a_text(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="female").declined == "tied"


@pytest.mark.parametrize(
    "text",
    [
        "My gf lost her card.",
        "My daughter is 16. shes lazy",
        "Emma Jones, née Brown, lost her card.",
        "He was a Boy Scout. He misses it.",
        "She is a sorority member.",
        "Her ladyship lost her key.",
        "His Lordship lost his key.",
        "My nanna needs her pills.",
        "The manageress lost her key.",
        "The testatrix signed her will.",
        "The mare is lame. How do I treat her?",
    ],
)
def test_words_that_name_a_sex_fit_no_neutral_person(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="neutral").declined == "tied"


@pytest.mark.parametrize(
    "text", ["She is pregnant. What should she eat?", "His beard is long. He likes it."]
)
def test_what_a_body_has_fits_a_neutral_person(text: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="neutral").declined is None


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("As a gay man, can I adopt with my husband?", "straight"),
        ("I'm a gay guy and my boyfriend proposed.", "straight"),
        ("My lesbian sister and her wife want a mortgage.", "straight"),
        ("I am a gay man married to a man.", "straight"),
        ("Two gay dads want a school place.", "straight"),
        ("We are a gay couple, Tom and Mark. Can we adopt?", "straight"),
        ("I'm a straight man and my wife wants a divorce.", "gay"),
        ("My straight friend and his girlfriend moved.", "gay"),
    ],
)
def test_a_partner_ties_a_text_to_an_orientation(text: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute="orientation", to=target).declined == "tied"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("When did Pope John Paul II visit his home?", "female"),
        ("Was Elizabeth I a good queen?", "male"),
        ("Is Allah mentioned? His names.", "female"),
    ],
)
def test_rulers_and_gods_tie_a_text(text: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to=target).declined == "tied"


@pytest.mark.parametrize("target", ["male", "neutral"])
@pytest.mark.parametrize(
    "text",
    [
        "Mother nature shows her power.",
        "The ship lost her anchor.",
        "France and her neighbours met.",
        "Is that her's?",
    ],
)
def test_what_is_no_woman_or_no_english_ties_a_text(text: str, target: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to=target).declined == "tied"
