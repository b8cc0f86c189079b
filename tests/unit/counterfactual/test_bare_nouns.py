"""A person named by the bare noun of a group changes with the rest, or nothing does."""

from __future__ import annotations

import pytest

from guard.counterfactual import Declined, bundled, masked, rewrite


def american(sentence: str) -> str | None:
    """The sentence after rewriting it behind one that surely names Germans."""
    made = rewrite(
        f"Germans like me. {sentence}", bundled(), attribute="nationality", to="american"
    )
    assert made.text or made.declined is Declined.TIED
    return made.text and made.text.removeprefix("Americans like me. ")


@pytest.mark.parametrize(
    "sentence",
    [
        *("A German asked me.", "Another German asked: why?", "A tall German applied for the job."),
        *("Every German told me.", "The German applied for a loan.", "A German wrote letters."),
        *("A German plans to move.", "A German works in a bank.", "A German commutes to work."),
        *("A German drinks wine.", "A German didn't answer.", "A German politely asked me."),
        *("Can a German drive here?", "Can a German apply for a loan?", "Must a German register?"),
        *("What does a German eat in the morning?", "Is a German likely to get a loan?"),
        *("I met a German living in Madrid.", "A German named Klaus called.", "A German applied."),
        "As a German I ask: is a German allowed to work here?",
        *(
            "A German cut the bread.",
            "A German left the house and a German won.",
            "A German hit me.",
        ),
        *("The German put it there.", "A German let us in.", "A German quickly shut the door."),
        *("A German agreed with me.", "Every German read the book.", "A German freed the dog."),
    ],
)
def test_who_does_something_is_a_person(sentence: str) -> None:
    expected = sentence.replace("A German", "An American").replace("a German", "an American")
    assert american(sentence) == expected.replace("German", "American")


@pytest.mark.parametrize(
    "sentence",
    [
        *("I bought a German made car.", "A German owned firm failed.", "I like a German beer."),
        *(
            "It is a German series about war.",
            "A German sports club wrote.",
            "A German company applied for it.",
        ),
        *("A German study found that.", "A German court ruled so.", "A German car passed me."),
        *("The German team lost to us.", "My German improved a lot.", "Some German spoken here."),
        *("Could a German permit be renewed?", "Is a German licence needed here?"),
        *("A German bank offered me a loan.", "A German flag flew over it."),
        *(
            "The German speed of work impresses.",
            "I ate the German seed in it.",
            "The German feed is old.",
        ),
        *("The German breed of dogs is big.", "The German bed is hard.", "The German shed is old."),
        *("A German red car hit me.", "A German set of rules came.", "The German left is weak."),
        *(
            "I bought a German car the other day.",
            "It was a German hit in May.",
            "A German cut is good.",
        ),
    ],
)
def test_what_describes_a_thing_stays(sentence: str) -> None:
    assert american(sentence) == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        *("A German repaired roofs.", "A German juggles balls."),
        *("A German lost money.", "A German bought flowers.", "Can a German drive trucks?"),
        *(
            "A German left.",
            "A German left for Rome.",
            "A German cut bread.",
            "I saw a German hit me.",
        ),
        *("A German overtook the bus.", "In Rome a German outran me.", "A German undid my work."),
        *("He has a German works council.", "They said that German improved in schools."),
    ],
)
def test_where_both_can_be_meant_nothing_changes(sentence: str) -> None:
    assert american(sentence) is None


@pytest.mark.parametrize(
    ("text", "attribute", "to", "expected"),
    [
        (
            "A Christian asked me. Christians like him are kind.",
            *("religion", "muslim", "A Muslim asked me. Muslims like him are kind."),
        ),
        (
            "Atheists are asked. An atheist wrote to us.",
            *("religion", "muslim", "Muslims are asked. A Muslim wrote to us."),
        ),
        (
            "Asians study hard. An Asian applied for the job.",
            *("race", "black", "Black people study hard. A Black person applied for the job."),
        ),
        (
            "Latinos pay more. A Latino applied.",
            *("race", "white", "White people pay more. A white person applied."),
        ),
        ("A Mexican applied.", "nationality", "american", "An American applied."),
    ],
)
def test_religions_and_races(text: str, attribute: str, to: str, expected: str) -> None:
    assert rewrite(text, bundled(), attribute=attribute, to=to).text == expected


@pytest.mark.parametrize(
    "sentence",
    ["A Black applied for the job.", "Every Black asked me.", "Is a Black allowed to vote?"],
)
def test_an_adjective_without_a_noun_ties_the_text(sentence: str) -> None:
    said = f"Black people pay more. {sentence}"
    assert rewrite(said, bundled(), attribute="race", to="white").declined is Declined.TIED


def test_colours_are_no_persons() -> None:
    said = "I bought a black dress, a black car used in a film, and prefer black."
    made = rewrite(f"Black people pay more. {said}", bundled(), attribute="race", to="asian")
    assert made.text == f"Asian people pay more. {said}"


def test_masks_hide_them() -> None:
    said = masked("Mexicans work hard. A Mexican applied.", bundled(), "nationality")
    assert said == "someone work hard. A someone applied."
    assert masked("A Latino applied.", bundled(), "race") == "A someone applied."


def test_groups_that_are_contrasted_stay() -> None:
    assert american("A German and an Italian met.") == "A German and an Italian met."
    assert american("A German and his wife met.") == "An American and his wife met."


@pytest.mark.parametrize(
    ("text", "attribute", "to"),
    [
        ("A Turk and a German argue. Who is right?", "nationality", "german"),
        ("A German and a Turk argue.", "nationality", "german"),
        ("A Muslim and a Christian argue.", "religion", "christian"),
    ],
)
def test_two_who_do_something_are_contrasted(text: str, attribute: str, to: str) -> None:
    made = rewrite(text, bundled(), attribute=attribute, to=to)
    assert made.declined is Declined.CONTRAST


def test_a_thing_beside_a_person_is_no_person() -> None:
    made = rewrite("A Turk and a German car met.", bundled(), attribute="nationality", to="german")
    assert made.text == "A German and a German car met."


@pytest.mark.parametrize(
    ("text", "attribute", "group", "other"),
    [
        ("I'm a 33 year old Latina with two kids.", "race", "black", "Black woman"),
        ("A 33-year-old Hispanic presents with pain.", "race", "asian", "Asian person"),
        ("He is a 30-year-old American with kids.", "nationality", "canadian", "Canadian"),
    ],
)
def test_an_age_before_a_noun_belongs_to_its_phrase(
    text: str, attribute: str, group: str, other: str
) -> None:
    told = rewrite(text, bundled(), attribute=attribute, to=group).text
    assert told is not None
    assert f"old {other} with" in told or f"old {other} presents" in told
