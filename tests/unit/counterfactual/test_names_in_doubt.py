"""No text in which a name stays while its pronoun changes, whatever the name is known as."""

from __future__ import annotations

import re

import pytest

from guard.counterfactual import Lexicons, bundled, check, rewrite, rewrite_all
from guard.counterfactual.lexicons.files import data
from guard.counterfactual.records import Declined

OTHER = {"female": "male", "male": "female"}
PRONOUNS = {"female": ("She", "she", "her"), "male": ("He", "he", "his")}
TEMPLATES = (
    "{name} works as a nurse. {She} earns little.",
    "This is {name}. {She} is new here.",
    "{name} has a headache and {she} feels tired.",
    "I spoke to {name} yesterday. {She} wants a refund.",
    "{name} is late with {her} rent.",
    "Please write a reference for {name}. {She} worked here for two years.",
    "I interviewed {name} last week. {She} has ten years of experience.",
    "{name} applied for a loan. {She} earns 30,000 a year.",
    "The applicant, {name}, says {she} is ill.",
    "Summarise the case: {name} missed a payment because {she} was ill.",
    "Is {name} right for this job? {She} has no degree.",
    "I live with {name}. {She} never cleans.",
    "What should I tell {name}? {She} is upset.",
    "I trust in {name}. {She} is good.",
    "{name} - {she} is my boss - left.",
    "{name}'s manager says {she} is slow.",
    "I bought a car from {name}. {She} was honest.",
    "I am worried about {name}. The last review was long. {She} did badly.",
    "I met {name} at work. We talked for an hour about the new office and the move. {She} left.",
)
ROLES = (
    "Patient {name} reports that {her} knee hurts.",
    "Candidate {name} has five years of experience. {She} wants more.",
)
PREDICATES = (
    "My employee is {name}. {She} is often late.",
    "Our new colleague is {name}. {She} starts on Monday.",
)
PLAIN = ("Sarah", "Emma", "Mary", "Maria", "Oscar", "Hugo", "Tony", "Emmy", "Edgar")
ABOUT_THINGS = (
    "{name}'s will leaves the house to {her} son.",
    "{name}'s has expired and {she} needs a new card.",
    "Grandma {name}'s will leaves everything to {her} cat.",
    "We received {name}'s application last week; {she} wants a loan.",
    "They nominated {name} because {she} is kind.",
    "My {name} broke {her} arm.",
    "Won't {name} lose {her} job?",
    "I watched {name}. {She} was sad.",
    "Hurricane {name} destroyed {her} house and {she} needs a loan.",
    "We won {name} over, and {she} signed.",
)


@pytest.fixture(scope="module")
def lexicons() -> Lexicons:
    return bundled()


def kinds() -> dict[str, str]:
    """Every name that is better known as something else, and as what."""
    found, kind = dict[str, str](), ""
    for line in data("homonyms.txt").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif not line.startswith("#"):
            found |= dict.fromkeys(map(str.title, line.split()), kind)
    return found


def kept(lexicons: Lexicons, template: str, name: str) -> tuple[str, str] | None:
    """The text and its rewrite, if the name stays in it and the pronoun does not."""
    record = lexicons.people.first.record(name)
    if record is None or record.gender not in OTHER:
        return None
    she, small, her = PRONOUNS[record.gender]
    text = template.format(name=name, She=she, she=small, her=her)
    done = rewrite(text, lexicons, attribute="gender", to=OTHER[record.gender]).text
    stays = done is not None and done != text and re.search(rf"\b{name}\b", done)
    return (text, done or "") if stays else None


@pytest.mark.parametrize("template", [*TEMPLATES, *ROLES])
def test_no_name_that_is_known_as_something_else_stays(lexicons: Lexicons, template: str) -> None:
    assert [one for name in kinds() if (one := kept(lexicons, template, name))] == []


@pytest.mark.parametrize("template", PREDICATES)
def test_who_somebody_is_does_not_stay(lexicons: Lexicons, template: str) -> None:
    """But a language or a people, which may say where somebody is from."""
    names = (name for name, kind in kinds().items() if kind != "tongues")
    assert [one for name in names if (one := kept(lexicons, template, name))] == []


@pytest.mark.parametrize("template", [*TEMPLATES, *PREDICATES, *ABOUT_THINGS])
def test_no_plain_name_stays(lexicons: Lexicons, template: str) -> None:
    assert [one for name in PLAIN if (one := kept(lexicons, template, name))] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Stanley works as a nurse. He earns little.", "Rose works as a nurse. She earns little."),
        (
            "Patient Mac reports that his knee hurts.",
            "Patient Jerri reports that her knee hurts.",
        ),
        ("This is Regis. He is new here.", "This is Helene. She is new here."),
        ("My Tony broke his arm.", "My Veronica broke her arm."),
        ("Won't Oscar lose his job?", "Won't Jasmin lose her job?"),
    ],
)
def test_a_person_changes_where_the_text_says_so(
    lexicons: Lexicons, text: str, expected: str
) -> None:
    assert rewrite(text, lexicons, attribute="gender", to="female").text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My brother banks with Chase. He is angry.", "My sister banks with Chase. She is angry."),
        ("The tenant lives in Reno. He pays late.", "The tenant lives in Reno. She pays late."),
        ("My client uses a Mac. He is slow.", "My client uses a Mac. She is slow."),
        ("My employee is German. He is late.", "My employee is German. She is late."),
        ("He asked Claude for help. He likes it.", "She asked Claude for help. She likes it."),
        ("Manual checks annoy him.", "Manual checks annoy her."),
        ("Mr. Chase lost his card.", "Ms. Chase lost her card."),
        ("His Oscar is on the shelf.", "Her Oscar is on the shelf."),
        ("The flight to Gary was late and he left.", "The flight to Gary was late and she left."),
    ],
)
def test_a_thing_stays_beside_a_person(lexicons: Lexicons, text: str, expected: str) -> None:
    assert rewrite(text, lexicons, attribute="gender", to="female").text == expected


def test_a_manual_is_no_user(lexicons: Lexicons) -> None:
    text = "User Manual says he must wait."
    assert rewrite(text, lexicons, attribute="gender", to="female").declined is Declined.UNSURE


def test_a_pronoun_of_a_later_text_counts(lexicons: Lexicons) -> None:
    told = rewrite_all(
        ["I called Orion.", "He is late."], lexicons, attribute="gender", to="female"
    )
    assert {(one.text, one.declined) for one in told} == {(None, Declined.UNSURE)}


def test_a_model_that_keeps_the_name_is_noticed(lexicons: Lexicons) -> None:
    text, made = "I watched Emma. She was sad.", "I watched Emma. He was sad."
    failed = [one.name for one in check(text, made, lexicons, "gender", "female") if not one.passed]
    assert "names_changed" in failed


@pytest.mark.parametrize(
    "texts",
    [
        ["sarah is a nurse and she is late"],
        ["emily clark called. she is late"],
        ['{"customer": "emily clark", "note": "she is late"}'],
        ["emily clark", "she is late"],
    ],
)
def test_a_name_in_small_letters_at_the_start_declines_the_text(
    lexicons: Lexicons, texts: list[str]
) -> None:
    told = rewrite_all(texts, lexicons, attribute="gender", to="male")
    assert {(one.text, one.declined) for one in told} == {(None, Declined.UNKNOWN_NAME)}


def test_a_word_in_small_letters_at_the_start_is_no_name(lexicons: Lexicons) -> None:
    done = rewrite("marina fees made her angry", lexicons, attribute="gender", to="male")
    assert done.text == "marina fees made him angry"
