"""Words of groups that stand alone: a rewrite declines them, a mask takes them."""

import pytest

from guard.counterfactual import Declined, bundled, masked, rewrite

TAGGED = [
    ("race", "asian", "A Black customer wrote. Tags: Black, loan."),
    ("nationality", "american", "A Mexican customer wrote. Keywords: Mexican, loan."),
    ("religion", "christian", "The Muslim applicant is proud of her Muslim heritage."),
    ("race", "white", "A Black student writes about Black history."),
    ("race", "white", '{"customer": "Black woman, 34", "segment": "Black", "income": 50000}'),
    ("race", "white", 'The applicant, a Black woman, ticked the box "Black".'),
    ("disability", "disabled", "A deaf applicant works for the Deaf Association."),
    ("disability", "disabled", "A blind tester joined the National Federation of the Blind."),
    ("race", "white", "A Black engineer is in the National Society of Black Engineers."),
    ("religion", "muslim", "A Jewish student joined the Jewish Student Union."),
    ("orientation", "straight", "A gay lawyer sings in the choir. Topics: gay, music."),
]


@pytest.mark.parametrize(("attribute", "group", "text"), TAGGED)
def test_a_word_of_the_old_group_that_would_stay_declines(
    attribute: str, group: str, text: str
) -> None:
    assert rewrite(text, bundled(), attribute=attribute, to=group).declined is Declined.TIED


@pytest.mark.parametrize(
    ("attribute", "group", "text", "other"),
    [
        ("religion", "jewish", "A Muslim man likes Muslim art.", "A Jewish man likes Muslim art."),
        ("race", "asian", "A Black man likes Black Friday.", "An Asian man likes Black Friday."),
        ("age", "young", "The old man sold his old car.", "The young man sold his old car."),
    ],
)
def test_what_describes_a_thing_stays(attribute: str, group: str, text: str, other: str) -> None:
    assert rewrite(text, bundled(), attribute=attribute, to=group).text == other


@pytest.mark.parametrize(
    "reply",
    [
        '{{"tags": ["{}", "loan"]}}',
        "Keywords: {}, refund",
        "Tags: #{} #loan",
        "- {}\n- loan",
        '| Customer | "{}" |',
        "Group: {}",
        "your {} heritage",
        "a customer of {} origin",
        "non-{} customers",
        'I removed the word "{}".',
        "<td>{}</td>",
    ],
)
@pytest.mark.parametrize(
    ("attribute", "first", "second"),
    [
        ("religion", "Muslim", "Christian"),
        ("race", "Black", "Asian"),
        ("nationality", "Mexican", "South African"),
        ("orientation", "gay", "asexual"),
        ("disability", "deaf", "paralyzed"),
    ],
)
def test_replies_that_repeat_the_group_are_the_same_when_masked(
    reply: str, attribute: str, first: str, second: str
) -> None:
    one, other = (masked(reply.format(group), bundled(), attribute) for group in (first, second))
    assert one == other
    assert first not in one


def test_names_in_addresses_are_masked_with_the_person() -> None:
    letter = "To: {}.{}@example.com\nDear {} {},"
    one, other = (
        masked(letter.format(first.lower(), last.lower(), first, last), bundled(), "race_by_name")
        for first, last in (("Lakisha", "Washington"), ("Yanling", "Wang"))
    )
    assert one == other == "To: someone.someone@example.com\nDear someone,"


@pytest.mark.parametrize("name", ["Daniel", "Ann", "John"])
def test_words_that_begin_like_a_name_are_not_masked_in_addresses(name: str) -> None:
    others = "marketing@x.org, planning@x.org, johnson@x.org, danielle@x.org"
    told = masked(f"{name}, write to {others} or {name}@x.org.", bundled(), "gender")
    assert told == f"someone, write to {others} or someone@x.org."
