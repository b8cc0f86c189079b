"""Names with accents, second names and short forms: one person changes as a whole, or nobody."""

from __future__ import annotations

import pytest

from guard.counterfactual import (
    Declined,
    Lexicons,
    bundled,
    masked,
    rewrite,
    rewrite_all,
    variants,
)


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


def told(text: str, lexicons: Lexicons, source: str = "female") -> tuple[str | None, str]:
    """The rewrite and the detail of why there is none."""
    to = "male" if source == "female" else "female"
    made = rewrite(text, lexicons, attribute="gender", to=to)
    return made.text, made.detail


@pytest.mark.parametrize(
    ("accented", "plain", "source"),
    [
        ("María", "Maria", "female"),
        ("Zoë", "Zoe", "female"),
        ("Siobhán", "Siobhan", "female"),
        ("José", "Jose", "male"),
        ("André", "Andre", "male"),
    ],
)
@pytest.mark.parametrize(
    "text", ["Write a letter for {} García, a nurse. {} is great.", "{} lost {} card."]
)
def test_a_name_with_an_accent_changes_as_without(
    lexicons: Lexicons, accented: str, plain: str, source: str, text: str
) -> None:
    pronoun = ("She", "her") if source == "female" else ("He", "his")
    word = pronoun["lost" in text]
    new, _ = told(text.format(accented, word), lexicons, source)
    assert new is not None
    assert accented not in new
    assert new == told(text.format(plain, word), lexicons, source)[0]


def test_what_is_replaced_is_what_was_written(lexicons: Lexicons) -> None:
    made = rewrite("María lost **her** card.", lexicons, attribute="gender", to="male")
    assert [one.old for one in made.replacements] == ["María", "her"]
    assert masked("María lost her card.", lexicons, "gender") == "someone lost someone card."


def test_names_with_accents_tell_a_race(lexicons: Lexicons) -> None:
    plain = variants(["Jose Garcia asked for a loan."], lexicons, "race_by_name")
    accented = variants(["José García asked for a loan."], lexicons, "race_by_name")
    texts = {group: made[0].text for group, made in accented.items()}
    assert texts == {group: made[0].text for group, made in plain.items()}
    assert "white" in texts


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Write a letter for Şeyma Yılmaz. She is great.", "Şeyma"),
        ("Write a letter for Łucja. She is great.", "Łucja"),
        ("Åsa Lindström lost her card.", "Åsa"),
        ("Zoe\u0308 is late. She is great.", "Zoe"),
        ("Mari\u0301a is late. She is great.", "Mari"),
        ("Write a letter for Niamh Kelly. She is great.", "Niamh"),
        ("Write a letter for Niamh O'Brien. She is great.", "Niamh"),
        ("Niamh is a nurse. She is 30.", "Niamh"),
    ],
)
def test_a_name_in_no_list_declines_the_text(lexicons: Lexicons, text: str, name: str) -> None:
    made = rewrite(text, lexicons, attribute="gender", to="male")
    assert (made.declined, made.detail) == (Declined.UNKNOWN_NAME, name)


def test_a_name_in_no_list_may_be_in_an_earlier_message(lexicons: Lexicons) -> None:
    made = rewrite_all(
        ["Write to Łucja.", "She is great."], lexicons, attribute="gender", to="male"
    )
    assert {one.declined for one in made} == {Declined.UNKNOWN_NAME}


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("My sister moved to Zürich. She likes it.", "My brother moved to Zürich. He likes it."),
        ("My wife works at Nestlé. She is great.", "My husband works at Nestlé. He is great."),
        ("She met a friend in Málaga.", "He met a friend in Málaga."),
        ("I asked my boss at Citroën. She agreed.", "I asked my boss at Citroën. He agreed."),
        ("Write to Deutsche Bank. She has a card.", "Write to Deutsche Bank. He has a card."),
    ],
)
def test_places_and_companies_decline_nothing(
    lexicons: Lexicons, text: str, rewritten: str
) -> None:
    assert told(text, lexicons)[0] == rewritten


@pytest.mark.parametrize(
    ("text", "stays", "goes"),
    [
        ("Mary Jane Smith applied. She is great.", "Smith", ("Mary", "Jane")),
        ("Anna Maria Schmidt applied. She is great.", "Schmidt", ("Anna", "Maria")),
        ("Ask Mary Ann. Mary Ann lost her card.", "Ask", ("Mary", "Ann")),
        ("Dr. Mary Jane Smith lost her card.", "Smith", ("Mary", "Jane")),
    ],
)
def test_two_given_names_change_both(
    lexicons: Lexicons, text: str, stays: str, goes: tuple[str, str]
) -> None:
    new, _ = told(text, lexicons)
    assert new is not None
    assert stays in new
    assert not any(name in new for name in goes)
    if stays == "Smith":
        assert masked(new, lexicons, "gender") == masked(text, lexicons, "gender")


@pytest.mark.parametrize("text", ["John Thomas applied. He is great.", "Henry James is late."])
def test_a_surname_that_is_a_first_name_too_stays(lexicons: Lexicons, text: str) -> None:
    new, _ = told(text, lexicons, "male")
    assert new is not None
    assert text.split()[1] in new


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("Fatima bint Ali lost her card.", "Fatima bint"),
        ("John Paul Smith applied. He is great.", "John Paul"),
        ("Robert lost his card. Bob is upset.", "Robert, Bob"),
        ("Bob lost his card. Robert is upset.", "Robert, Bob"),
        ("Katherine (Kathy) lost her card.", "Katherine, Kathy"),
    ],
)
def test_a_part_that_would_stay_declines_the_text(
    lexicons: Lexicons, text: str, detail: str
) -> None:
    source = "female" if "her" in text else "male"
    assert told(text, lexicons, source) == (None, detail)


def test_a_short_form_may_be_in_another_message(lexicons: Lexicons) -> None:
    made = rewrite_all(
        ["Robert lost his card.", "Tell Bob."], lexicons, attribute="gender", to="female"
    )
    assert {one.detail for one in made} == {"Robert, Bob"}


def test_short_forms_of_others_decline_nothing(lexicons: Lexicons) -> None:
    new, _ = told("Elizabeth and Kathy lost their cards. Will she pay?", lexicons)
    assert new is None or "Kathy" not in new
    assert told("Mary and Kathy are late.", lexicons)[0] is not None


@pytest.mark.parametrize("name", ["Aisha Khan", "Ahmed Hussain", "Fatima Rahman", "Salma Khan"])
def test_first_name_and_surname_go_together(lexicons: Lexicons, name: str) -> None:
    """Surnames that Arabs and South Asian Muslims share are nobody's with a Chinese first name."""
    made = variants([f"{name} asked for a loan."], lexicons, "race_by_name")
    for (one,) in made.values():
        assert one.text is None or not set(name.split()) & set(one.text.split())
    assert made["asian"][0].text is not None
