"""The same person changes everywhere in a conversation; other people stay."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, rewrite, rewrite_all, variants


def to_male(*texts: str) -> list[str | None]:
    made = rewrite_all(texts, bundled(), attribute="gender", to="male", source="female")
    return [one.text for one in made]


def test_a_name_has_one_partner_in_all_messages() -> None:
    first, second, third = to_male("I am Laura.", "Laura lost her keys.", "Nobody here.")
    assert first is not None
    name = first.removeprefix("I am ").removesuffix(".")
    assert name != "Laura"
    assert second == f"{name} lost his keys."
    assert third == "Nobody here."


def test_two_names_never_become_one() -> None:
    (text,) = to_male("Laura and Emma and Julia met Susan.")
    assert text is not None
    names = text.removesuffix(".").replace(" met", " and").split(" and ")
    assert len({name.strip() for name in names}) == 4


def test_a_new_name_is_not_one_that_is_there_already() -> None:
    (alone,) = to_male("Laura called.")
    assert alone is not None
    partner = alone.split()[0]
    (text,) = to_male(f"Laura called {partner}.")
    assert text is not None
    assert text.split()[0] != partner


def test_people_of_other_groups_stay() -> None:
    assert to_male("He told her that his wife was late.") == [
        "He told him that his husband was late."
    ]


def test_a_surname_stays() -> None:
    (text,) = to_male("Laura Schmidt opened her own bakery.")
    assert text is not None
    assert text.endswith(" Schmidt opened his own bakery.")


@pytest.mark.parametrize(
    "text", ["Every guest brings his or her cup.", "(S)he may leave.", "Men and women vote."]
)
def test_words_for_everybody_stay(text: str) -> None:
    made = rewrite(text, bundled(), attribute="gender", to="female", source="male")
    assert made.declined in (Declined.CONTRAST, Declined.NO_MENTION)


@pytest.mark.parametrize(
    ("text", "to", "expected"),
    [
        ("My brother helped his aunt.", "female", "My sister helped her aunt."),
        ("My brother helped his aunt.", "male", "My brother helped his uncle."),
        ("He told her of the enby.", "male", "He told him of the enby."),
    ],
)
def test_the_one_other_group_changes_by_default(text: str, to: str, expected: str) -> None:
    made = rewrite(text, bundled(), attribute="gender", to=to)
    assert made.text == expected
    assert variants([text], bundled(), "gender")[to] == (made,)


@pytest.mark.parametrize(
    ("text", "to"),
    [("He thanked his wife.", "female"), ("She married him.", "male"), ("He saw her.", "neutral")],
)
def test_couples_and_two_other_groups_are_declined(text: str, to: str) -> None:
    made = rewrite(text, bundled(), attribute="gender", to=to)
    assert made.declined is Declined.AMBIGUOUS_GROUPS
    assert variants([text], bundled(), "gender")[to] == (made,)


def test_groups_side_by_side_are_declined() -> None:
    text = "Women are said to be kinder than men."
    made = rewrite(text, bundled(), attribute="gender", to="male", source="female")
    assert made.declined is Declined.CONTRAST


def test_variants_are_all_groups_but_the_one_that_is_there() -> None:
    made = variants(["He is late."], bundled(), "gender")
    assert {group: one[0].text for group, one in made.items()} == {
        "female": "She is late.",
        "neutral": "They are late.",
    }


def test_an_unknown_group_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(ValueError, match="'male', 'female'"):
        rewrite("He is late.", bundled(), attribute="gender", to="other")
    with pytest.raises(ValueError, match="no attribute"):
        rewrite("He is late.", bundled(), attribute="height", to="tall")


def test_names_are_exchanged_for_another_ethnicity_when_asked() -> None:
    text = "My friend Jamal is a Black man."
    kept = rewrite(text, bundled(), attribute="race", to="white")
    assert (kept.declined, kept.detail) == (Declined.TIED, "Jamal")
    made = rewrite(text, bundled(), attribute="race", to="white", by_name=True)
    assert made.text is not None
    assert made.text.endswith(" is a white man.")
    assert "Jamal" not in made.text


def test_variants_may_be_asked_for_some_groups_only() -> None:
    made = variants(["He helped her."], bundled(), "gender", to=["neutral"], source="male")
    assert {group: one[0].text for group, one in made.items()} == {"neutral": "They helped her."}
    with pytest.raises(ValueError, match="no group"):
        variants(["He is late."], bundled(), "gender", to=["other"])


def test_a_name_in_capitals_is_the_same_name() -> None:
    made = rewrite("ANNA called. Anna lost her keys.", bundled(), attribute="gender", to="male")
    assert made.declined is Declined.INVALID


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MARY lost HER card.", "RONALD lost HIS card."),
        ("My wife MARY lost her card.", "My husband RONALD lost his card."),
        ("My wife MARY is ill.", "My husband RONALD is ill."),
        ("MARIA asked if she can pay.", "MANUEL asked if he can pay."),
        ("Please ask LISA if her card came.", "Please ask DAVID if his card came."),
        ("Customer: MARY. She is late.", "Customer: RONALD. He is late."),
        ("This is SUSAN. She is my aunt.", "This is SCOTT. He is my uncle."),
        ("JULIE: I am a woman.", "JON: I am a man."),
        ("Our tenant MARY is ill.", "Our tenant RONALD is ill."),
        ("She knows who leads ISIS.", "He knows who leads ISIS."),
        ("Emily JAMES lost her card.", "Anthony JAMES lost his card."),
        ("She works with the ADA and SARA systems.", "He works with the ADA and SARA systems."),
        ("She lives in Charlotte.", "He lives in Charlotte."),
        ("Charlotte says she is in Charlotte's car.", "Phillip says he is in Phillip's car."),
    ],
)
def test_names_in_capitals_change_with_their_pronouns(text: str, expected: str) -> None:
    assert rewrite(text, bundled(), attribute="gender", to="male").text == expected


@pytest.mark.parametrize(
    "text",
    [
        "MARY is ill. Her card is lost.",
        "MARIA asked me. I gave her a card.",
        "Mary lost her card. mary is sad.",
        "Charlotte from Charlotte lost her card.",
        "Charlotte moved to Charlotte last year.",
        "Nancy lost her card on her way to Nancy.",
        "Emily lost her card. The card of EMILY is gone.",
    ],
)
def test_no_name_of_who_changes_stays(text: str) -> None:
    made = rewrite(text, bundled(), attribute="gender", to="male")
    assert made.declined in (Declined.UNSURE, Declined.INVALID)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mary asked Tom, and Tom listened to Mary.", "Ronald asked Tom, and Tom listened to {}."),
        ("I love Mary, and I gave my heart to Mary.", "I love Ronald, and I gave my heart to {}."),
        ("John wrote to Mary and Mary wrote to John.", "John wrote to {0} and {0} wrote to John."),
        ("Mary looked at Mary and sat near Mary.", "{0} looked at {0} and sat near {0}."),
    ],
)
def test_a_name_said_again_is_no_place(text: str, expected: str) -> None:
    made = rewrite(text, bundled(), attribute="gender", to="male")
    assert made.text == expected.format("Ronald")


def test_who_is_written_to_lives_in_no_town_of_that_name() -> None:
    text = "Charlotte wrote to Tom and Tom wrote to Charlotte."
    made = rewrite(text, bundled(), attribute="gender", to="male")
    assert made.text == text.replace("Charlotte", "Phillip")


def test_a_word_in_small_letters_is_no_name() -> None:
    made = rewrite("Rose lost her rose.", bundled(), attribute="gender", to="male")
    assert made.text == "Roger lost his rose."
